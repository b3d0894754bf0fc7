import { loadCompiledCommand } from './load-command';

loadCompiledCommand().run();
