import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Returns the compiler's messages about a folder's TypeScript, one per line, with a `tsconfig.json` that is written there;
 * empty if there are none.
 */
export function problemsIn (folder: string, config: { extends?: string, compilerOptions?: object, include?: string[] }): string[] {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'], { encoding: 'utf8', maxBuffer: Infinity })
  const problems = stdout.split('\n').filter((line) => line !== '')
  if ((status === 0) !== (problems.length === 0)) throw new Error(`The compiler ended with ${status}: ${stdout}${stderr}`)
  return problems
}
