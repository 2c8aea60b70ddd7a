// Runs a program of the build, for a clone. Builds nothing, because some callers are programs that read its output.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isNewEnough } from './node-version.js'

const root = new URL('../', import.meta.url)
/** The Node from the packages, if the machine's own is too old (choose-node.js). */
const brought = fileURLToPath(new URL('node_modules/.bin/node', root))

/** @param {string} entry the program in dist, such as cli/main.js */
export async function runBuilt (entry) {
  const program = new URL(`dist/${entry}`, root)
  if (!existsSync(program)) {
    console.error('It is not built yet: run npm ci and npm run build once, in the folder of the service.')
    process.exitCode = 1
  } else if (isNewEnough() || !existsSync(brought)) await import(program.href)
  else await runWith(brought, fileURLToPath(program))
}

async function runWith (node, program) {
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.exitCode = await new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
