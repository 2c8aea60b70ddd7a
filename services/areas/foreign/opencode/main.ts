// The program that reads OpenCode's database for the service: a request and an answer in each line. What is in such a file can keep SQLite
// busy for as long as it likes; this process can be killed.

import { createInterface } from 'node:readline'
import { answerTo } from './reading.js'

createInterface({ input: process.stdin }).on('line', (line) => { process.stdout.write(`${JSON.stringify(answerTo(line))}\n`) })
