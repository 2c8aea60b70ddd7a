#!/usr/bin/env node
// A machine that joins a service. It is started by what supervises it, so nothing is built here.
import { existsSync } from 'node:fs'

const program = new URL('../dist/machine/main.js', import.meta.url)
if (existsSync(program)) await import(program.href)
else {
  console.error('It is not built yet: run npm ci and npm run build once, in the folder of the service.')
  process.exitCode = 1
}
