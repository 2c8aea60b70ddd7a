#!/usr/bin/env node
// What an editor starts: only the protocol may be written to standard output.
import { runBuilt } from './run-built.js'

await runBuilt('acp/main.js')
