#!/usr/bin/env node
// The program agent-web-service, for a clone.
import { runBuilt } from './run-built.js'

await runBuilt('cli/main.js')
