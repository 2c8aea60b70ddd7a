import { run } from './cli/run.js'

// node dist/doctor.js runs `agent-web-service doctor`. Scripts and containers use this name.
void run(['doctor', ...process.argv.slice(2)])
