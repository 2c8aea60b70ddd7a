#!/usr/bin/env node
// The program agent-web-service, for a clone: nothing is built here, as some who call it are programs.
import { existsSync } from 'node:fs'

const program = new URL('../dist/cli/main.js', import.meta.url)
if (existsSync(program)) await import(program.href)
else {
  console.error('It is not built yet: run npm ci and npm run build once, in the folder of the service.')
  process.exitCode = 1
}
