// Stands where the bundler puts the Workflows of whoever uses the plugin.
export {};
