#!/usr/bin/env node
// Started by an editor: only the protocol may be written to standard output.
import { runBuilt } from './run-built.js'

await runBuilt('acp/main.js')
