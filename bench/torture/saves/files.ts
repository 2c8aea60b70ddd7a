import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { zipOf } from '../../../test/support/archives.js'
import { digest } from '../client.js'
import { Book } from './book.js'
import { actOn, formOf, type Kind, type Person, type Shown } from './kind.js'

const trashName = '.agent-trash'

/** A session that works in a folder of its own, made at the first use. */
function workplace (name: string) {
  let sessionId: string | null = null
  return {
    folder: (person: Person): string => join(person.arena.workspace(), name),
    /** Returns the session; null if it was refused. */
    async session (person: Person): Promise<string | null> {
      if (sessionId === null) {
        const workspace = join(person.arena.workspace(), name)
        if (!existsSync(workspace)) await person.did('/api/workspaces/add', { path: workspace, create: true })
        sessionId = (await person.got('/api/session/new', { workspace }))?.session.session_id ?? null
      }
      return sessionId
    }
  }
}

/**
 * Whether a file is at a second place: a move gives a file its new name before it loses the old one, so a kill may leave both, and the
 * person removes one of them.
 */
const isTwin = (shown: Shown, key: string, path: string): boolean =>
  lstatSync(path).nlink > 1 && shown.some(([known]) => known === key)

/** Texts that are created, saved, renamed, moved, deleted, restored and deleted for good: each is in one place. */
export function texts (): Kind {
  const book = new Book()
  const place = workplace('texts')
  const trashed = new Map<string, string>()
  let twins = 0
  const contentOf = (key: string, person: Person): string => `${key}\n${person.name('text')}\n${'A line of text.\n'.repeat(person.random.whole(0, 3_000))}`
  const at = (path: string, content: string): string => `${path} ${digest(content)}`
  return {
    name: 'texts, trash',
    book,
    async act (person) {
      const id = await place.session(person)
      if (id === null) return
      const key = person.name('file').replace(' ', '-')
      const content = contentOf(key, person)
      const known = new Map<string, string>()
      await actOn({ book }, person, {
        least: 4,
        make: async () => {
          known.set(key, content)
          await book.change(key, at(`${key}.txt`, content), () =>
            person.did('/api/file/create', { session_id: id, path: `${key}.txt`, content }))
        },
        ways: [
          async (key, value) => {
            const [path = '', hash] = value.split(' ')
            if (path === 'trash') {
              await book.change(key, `${key}.txt ${hash}`, () => person.did('/api/trash/restore', { session_id: id, id: trashed.get(key), dest_dir: '' }))
              return
            }
            const text = contentOf(key, person)
            await book.change(key, at(path, text), () => person.did('/api/file/save', { session_id: id, path, content: text }))
          },
          async (key, value) => {
            const [path = '', hash] = value.split(' ')
            if (path === 'trash') return
            const name = `${person.name('renamed').replace(' ', '-')}.txt`
            const folder = path.slice(0, path.lastIndexOf('/') + 1)
            await book.change(key, `${folder}${name} ${hash}`, () => person.did('/api/file/rename', { session_id: id, path, new_name: name }))
          },
          async (key, value) => {
            const [path = '', hash] = value.split(' ')
            if (path === 'trash') {
              await book.change(key, null, () => person.did('/api/trash/delete', { session_id: id, id: trashed.get(key) }))
              return
            }
            const permanent = person.random.chance(0.3)
            await book.change(key, permanent ? null : `trash ${hash}`, async () => {
              const done = await person.got('/api/file/delete', { session_id: id, path, permanent })
              if (done !== null && !permanent) trashed.set(key, done.trash_id)
              return done !== null
            })
          }
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const id = await place.session(person)
      const folder = place.folder(person)
      if (id === null || !existsSync(folder)) return []
      const { body } = await person.ask(`/api/trash?session_id=${id}`)
      const listed = new Set((body.items as Array<{ id: string }>).map(({ id }) => id))
      const shown: Array<readonly [string, string]> = []
      for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!path.endsWith('.txt')) continue
        const content = readFileSync(join(folder, path), 'utf8')
        const key = content.slice(0, content.indexOf('\n'))
        const [top, entry = ''] = path.split('/')
        if (isTwin(shown, key, join(folder, path))) {
          rmSync(join(folder, top === trashName ? join(trashName, entry) : path), { recursive: true })
          listed.delete(entry)
          twins++
          continue
        }
        if (top !== trashName) shown.push([key, at(path, content)])
        else if (!entry.endsWith('.gone')) {
          if (!listed.delete(entry)) person.arena.tally.wrong(`${path} is in the trash and not listed`)
          trashed.set(key, entry)
          shown.push([key, at('trash', content)])
        }
      }
      for (const entry of listed) person.arena.tally.wrong(`the trash lists ${entry}, which cannot be restored: it has no file`)
      return shown
    },
    note: () => `${twins} files that were being moved had both names`
  }
}

/** Uploads to a session and to its folder, and archives that are unpacked there. */
export function uploads (): Kind {
  const book = new Book()
  const place = workplace('uploads')
  const files = 8
  return {
    name: 'uploads',
    book,
    async act (person) {
      const id = await place.session(person)
      if (id === null) return
      const name = person.name('upload').replace(' ', '-')
      const content = Buffer.from(`${name}\n`.repeat(person.random.whole(1, 20_000)))
      const archive = (): Buffer => zipOf(Array.from({ length: files }, (_, at) => ({ name: `${at}.txt`, content: 'A line.\n'.repeat(5_000) })))
      const [path, key, value, file] = person.random.pick([
        ['/api/upload', `${name}.txt`, digest(content), { name: `${name}.txt`, content }],
        ['/api/workspace/upload', `${name}.txt`, digest(content), { name: `${name}.txt`, content }],
        ['/api/upload/extract', name, String(files), { name: `${name}.zip`, content: archive() }]
      ] as const)
      await book.change(key, value, async () => {
        const { status, body } = await person.send(path, formOf(file, { session_id: id }))
        if (status !== 200) person.arena.tally.wrong(`${path} is answered ${status}: ${JSON.stringify(body).slice(0, 200)}`)
        return status === 200
      })
    },
    async shown (person): Promise<Shown> {
      const id = await place.session(person)
      const folders = [place.folder(person), join(person.arena.folder, 'home', 'webui', 'attachments', id ?? '')]
      const entries = folders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
      return entries.filter(({ name }) => name.startsWith('upload')).map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [entry.name, entry.isDirectory() ? String(readdirSync(path).length) : digest(readFileSync(path))]
      })
    }
  }
}
