// The program that reads OpenCode's database for the service: one request and one answer in each line. The contents of such a file can keep
// SQLite busy for any length of time; this process can be killed.

import { createInterface } from 'node:readline'
import { answerTo } from './reading.js'

createInterface({ input: process.stdin }).on('line', (line) => { process.stdout.write(`${JSON.stringify(answerTo(line))}\n`) })
