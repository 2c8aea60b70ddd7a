import { run } from './cli/run.js'

// node dist/restore.js, as scripts and containers know it: agent-web-service restore.
void run(['restore', ...process.argv.slice(2)])
