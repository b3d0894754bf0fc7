import { loadCompiledCommand } from './load-command';

loadCompiledCommand().crashWorker();
