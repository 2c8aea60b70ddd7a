#!/usr/bin/env node
// What an editor starts: nothing but the protocol may be written to standard output, so nothing is built here.
import { existsSync } from 'node:fs'

const program = new URL('../dist/acp/main.js', import.meta.url)
if (existsSync(program)) await import(program.href)
else {
  console.error('It is not built yet: run npm start once, in the folder of the service.')
  process.exitCode = 1
}
