import { execFileSync, fork } from 'node:child_process'
import { mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import yauzl from 'yauzl'
import { asset } from '../../services/ground/assets.js'
import { type TestService } from './app.js'

/** Texts that no answer may ever contain. */
export const outsideText = 'OUTSIDE-THE-WORKSPACE'
export const outsideName = 'outside-name.txt'

/** Creates a folder beside the workspace that nothing may reach, and every kind of path to it in the workspace. */
export function layTraps ({ folder, workspace }: Pick<TestService, 'folder' | 'workspace'>): string {
  const outside = join(folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, outsideName), outsideText)
  writeFileSync(join(outside, 'secret.txt'), outsideText)
  mkdirSync(join(workspace, 'sub'))
  writeFileSync(join(workspace, 'sub', 'plain.txt'), 'plain')
  symlinkSync(join(outside, 'secret.txt'), join(workspace, 'link-file'))
  symlinkSync(outside, join(workspace, 'link-folder'))
  symlinkSync('/', join(workspace, 'link-root'))
  symlinkSync('loop', join(workspace, 'loop'))
  symlinkSync('nowhere', join(workspace, 'dangling'))
  symlinkSync('/dev/zero', join(workspace, 'device'))
  symlinkSync('../outside/secret.txt', join(workspace, 'sub', 'relative-link'))
  execFileSync('mkfifo', [join(workspace, 'fifo')])
  return outside
}

/** Returns paths that lead out of the workspace, to nothing, or to something that is neither file nor folder. */
export const hostilePaths = (outside: string): string[] => [
  '..', '../', '../outside', '../outside/secret.txt', 'sub/../../outside/secret.txt', './../outside/secret.txt', 'sub/../link-folder/../outside/secret.txt',
  '%2e%2e/outside/secret.txt', '..%2foutside%2fsecret.txt', '..\\outside\\secret.txt', '..\\..\\etc\\passwd', '....//outside/secret.txt',
  outside, join(outside, 'secret.txt'), `${outside}/../outside/secret.txt`, '/etc/passwd', '/etc', '/', '//etc/passwd',
  'link-file', 'link-folder', 'link-folder/secret.txt', 'link-folder/../outside/secret.txt', 'sub/relative-link', 'link-root', 'link-root/etc/passwd',
  'loop', 'loop/x', 'dangling', 'device', 'fifo', 'fifo/x', '/dev/zero', '/dev/stdin', '/dev/fd/0',
  '/proc/self/environ', '/proc/self/cwd', '/proc/self/root/etc/passwd', '/proc/1/root', '/proc/self/fd/0',
  'sub/plain.txt\0.png', '\0', 'x'.repeat(300), 'x/'.repeat(3_000), '~', '~/.ssh/id_rsa', 'file:///etc/passwd', 'sub/plain.txt/..',
  '\u202e..', '․․/outside', '．．/outside/secret.txt', '..\u2215outside', '\ufeff../outside', 'C:\\Windows', '\\\\server\\share', 'con', '*', '-rf'
]

/** Returns descriptors of this process that are open on something below a folder. */
export function openBelow (folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`)
      return target.startsWith(folder) && !target.includes('/home/webui/') ? [target] : []
    } catch {
      return []
    }
  })
}

/** Waits until nothing below the folder is open any more; returns what is still open after some seconds. */
export async function closedBelow (folder: string): Promise<string[]> {
  for (let round = 0; round < 200 && openBelow(folder).length > 0; round++) await delay(50)
  return openBelow(folder)
}

/** Swaps `path` with a symlink to `target` and back, `times` times, in its own process. */
export function swap (path: string, target: string, times: number): { over: Promise<void>, isOver (): boolean } {
  let isOver = false
  const child = fork(asset('test/support/swapper.js'), [path, target, String(times)], { execArgv: [], stdio: 'inherit' })
  const over = new Promise<void>((resolve, reject) => {
    child.on('exit', (code) => {
      isOver = true
      if (code === 0) resolve()
      else reject(new Error(`swapping ended with ${code}`))
    })
  })
  return { over, isOver: () => isOver }
}

/** Returns an answer whose body has not been read yet. */
export async function ask (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, resolve)
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Returns the files and folders in a zip archive; checks sizes and checksums. */
export async function unzip (bytes: Buffer): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const archive = await new Promise<yauzl.ZipFile>((resolve, reject) => yauzl.fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, opened) => error === null ? resolve(opened) : reject(error)))
  await new Promise<void>((resolve, reject) => {
    archive.on('error', reject)
    archive.on('end', () => resolve())
    archive.on('entry', (entry: yauzl.Entry) => {
      archive.openReadStream(entry, (error, stream) => {
        if (error !== null) return reject(error)
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('error', reject)
        stream.on('end', () => {
          found.set(entry.fileName, Buffer.concat(chunks))
          archive.readEntry()
        })
      })
    })
    archive.readEntry()
  })
  return found
}
