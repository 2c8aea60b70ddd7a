#!/usr/bin/env node
// A machine that joins a service. It is started by what supervises it.
import { runBuilt } from './run-built.js'

await runBuilt('machine/main.js')
