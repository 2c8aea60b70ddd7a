import { run } from './cli/run.js'

// node dist/doctor.js, as scripts and containers know it: agent-web-service doctor.
void run(['doctor', ...process.argv.slice(2)])
