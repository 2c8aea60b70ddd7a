import { run } from './cli/run.js'

// node dist/restore.js runs `agent-web-service restore`. Scripts and containers use this name.
void run(['restore', ...process.argv.slice(2)])
