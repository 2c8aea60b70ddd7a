#!/usr/bin/env node
// Starts a machine that joins a service. A supervisor starts this program.
import { runBuilt } from './run-built.js'

await runBuilt('machine/main.js')
