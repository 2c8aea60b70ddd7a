import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from '#test'
import { temporaryFolder } from '../support/folder.js'
import { documents, readDocument, type Block, type Document } from '../support/documents.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

/** The service's address in the documents; here it is another one. */
const address = 'http://127.0.0.1:8787'
const done = '@@pasted@@'

/** Starts a terminal in which blocks are pasted one after the other: a command that fails ends it. */
function terminal (t: Test, folder: string) {
  const shell = spawn('bash', ['-e'], {
    cwd: folder, env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, TMPDIR: folder }, stdio: ['pipe', 'pipe', 'pipe']
  })
  let output = ''
  for (const channel of [shell.stdout, shell.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const ended = once(shell, 'close')
  t.teardown(async () => {
    shell.kill('SIGKILL')
    await ended
  })
  return async (code: string): Promise<string> => {
    output = ''
    shell.stdin.write(`${code}\necho ${done}\n`)
    while (!output.includes(done)) {
      if (shell.exitCode !== null) throw new Error(`It failed after:\n${output}`)
      await pause(20)
    }
    return output.split(done)[0] ?? ''
  }
}

const somethingWaits = async (server: ServerProcess): Promise<boolean> =>
  (await server.json('/api/prompts') as { prompts: unknown[] }).prompts.length > 0

/** Pastes the marked blocks of a document; a block after it marked `output` is what it must print. */
async function paste (t: Test, { path, blocks }: Document): Promise<string[]> {
  const folder = temporaryFolder(t, 'pasted')
  const server = await spawnServer(t, folder, { OFFLINE_DEMO_WORDS_PER_SECOND: '60' })
  const first = terminal(t, folder)
  const marked = blocks.filter(({ mark }) => mark === 'output' || /^run\b/.test(mark))
  const here = ({ code }: Block): string => code.replaceAll(address, server.url)
  const printed: string[] = []
  for (const [at, block] of marked.entries()) {
    if (block.mark !== 'run') continue
    const next = marked[at + 1]
    const running = first(here(block))
    if (next?.mark === 'run other') {
      while (!await somethingWaits(server)) await pause(50)
      printed.push(await terminal(t, folder)(here(next)))
    }
    const output = await running
    printed.push(output)
    if (next?.mark === 'output') {
      const wanted = next.code.trimEnd().split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')
      t.match(output.trimEnd(), new RegExp(`^${wanted}$`), `${path}:${next.line}`)
    }
  }
  return printed
}

t.test('what the README says to paste works, and shows what it says', async (t) => {
  const printed = (await paste(t, readDocument('README.md'))).join('\n')
  const says = [/event: tool\n/, /"choice":"once"/, /event: stream_end/]
  for (const said of says) t.ok(said.test(printed), String(said))
})

t.test('a session with curl works from its first block to its last', { long: true }, async (t) => {
  const printed = (await paste(t, readDocument('docs/curl.md'))).join('\n')
  const says = [/"status":"ok"/, /frames, none missing, none twice/, /notes\.txt/, /first line\nsecond line/, /Morning look: every weekday at 9/, /1 2 3 4 5/, /event: stream_end/]
  for (const said of says) t.ok(said.test(printed), String(said))
})

t.test('so do the blocks of the guides, each page by itself', { long: true }, async (t) => {
  const functions = readDocument('docs/curl.md').blocks[0]
  for (const document of documents().filter(({ path }) => !['README.md', 'docs/curl.md'].includes(path))) {
    if (!document.blocks.some(({ mark }) => mark === 'run')) continue
    // A guide may state that it needs the functions of that page.
    const blocks = document.text.includes('(curl.md)') && functions !== undefined ? [functions, ...document.blocks] : document.blocks
    t.ok((await paste(t, { ...document, blocks })).length > 0, document.path)
  }
})

t.test('a block that fails is noticed', async (t) => {
  const folder = join(temporaryFolder(t, 'failing'))
  await t.rejects(terminal(t, folder)('echo before\nfalse'), /It failed after:\nbefore/)
})
