import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Variable that tells a confined process the only folder that it can write to. */
const scratchVariable = 'FUZZ_SCRATCH'

const resultName = 'result.json'

/** Hands a text over to the program outside, which gets it when this one ends. */
export const handOver = (scratch: string, text: string): void => writeFileSync(join(scratch, resultName), text)

export const scratchFolder = (): string | undefined => process.env[scratchVariable]

/**
 * Runs this program again where it can only write to a folder of its own, has no network but its own loopback, and no process outlives it:
 * the requests may well make a service delete or start something. Resolves to its exit code, and to what it handed over; throws if
 * bubblewrap is missing.
 */
export async function runConfined (): Promise<{ code: number, result: string | null }> {
  const scratch = mkdtempSync(join(tmpdir(), 'fuzz-'))
  mkdirSync(join(scratch, 'tmp'))
  const child = spawn('bwrap', [
    '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', scratch, scratch, '--unshare-net', '--unshare-pid', '--die-with-parent', '--chdir', process.cwd(),
    process.execPath, ...process.execArgv, ...process.argv.slice(1)
  ], {
    env: { PATH: process.env.PATH, HOME: scratch, TMPDIR: join(scratch, 'tmp'), [scratchVariable]: scratch, TSX_DISABLE_CACHE: '1' },
    stdio: 'inherit'
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  try {
    const [code] = await once(child, 'exit') as [number | null]
    const file = join(scratch, resultName)
    return { code: code ?? 1, result: existsSync(file) ? readFileSync(file, 'utf8') : null }
  } catch (error) {
    throw new Error('Fuzzing takes bubblewrap (bwrap), which keeps what it does to the service away from this machine.', { cause: error })
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
  }
}
