import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Book } from './book.js'
import { actOn, formOf, type Kind, type Person, type Shown } from './kind.js'

interface ListedSession {
  session_id: string, title: string, archived: boolean, pinned: boolean, project_id: string | null, message_count: number
}

/** Later than any run of this. */
const farAwayS = 4_000_000_000

const messages = (count: number): Array<{ role: string, content: string }> =>
  Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Said ${at}: ${'a few words of it '.repeat(20)}` }))

/** Returns all sessions whose title begins with a word. */
async function listed (person: Person, word: string): Promise<ListedSession[]> {
  const { body } = await person.ask('/api/sessions?include_archived=1&archived_limit=500')
  return (body.sessions as ListedSession[]).filter(({ title }) => title.startsWith(`${word} `))
}

/** Conversations that are renamed, archived, pinned, moved to a project and deleted. */
function sessions (): Kind {
  const book = new Book()
  const projects: string[] = []
  interface Value { title: string, archived: boolean, pinned: boolean, project: string | null }
  const valueOf = ({ title, archived, pinned, project }: Value): string => JSON.stringify([title, archived, pinned, project])
  const read = (value: string): Value => {
    const [title, archived, pinned, project] = JSON.parse(value) as [string, boolean, boolean, string | null]
    return { title, archived, pinned, project }
  }
  return {
    name: 'sessions',
    book,
    async act (person) {
      if (projects.length < 2) {
        const made = await person.got('/api/projects/create', { name: person.name('Folder of sessions') })
        if (made !== null) projects.push(made.project.project_id)
        return
      }
      const title = person.name('Talk')
      const set = async (key: string, value: string, change: Partial<Value>, path: string, body: object): Promise<void> =>
        await book.change(key, valueOf({ ...read(value), ...change }), () => person.did(path, { session_id: key, ...body }))
      await actOn({ book }, person, {
        least: 5,
        make: () => book.create(valueOf({ title, archived: false, pinned: false, project: null }), async () =>
          (await person.got('/api/session/import', { title, messages: messages(2) }))?.session.session_id ?? null),
        ways: [
          async (key, value) => await set(key, value, { title }, '/api/session/rename', { title }),
          async (key, value) => {
            const archived = !read(value).archived
            await set(key, value, { archived }, '/api/session/archive', { archived })
          },
          async (key, value) => {
            const pinned = !read(value).pinned
            await set(key, value, { pinned }, '/api/session/pin', { pinned })
          },
          async (key, value) => {
            const project = person.random.pick([...projects, null])
            await set(key, value, { project }, '/api/session/move', { project_id: project })
          },
          async (key) => await book.change(key, null, () => person.did('/api/session/delete', { session_id: key }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      return (await listed(person, 'Talk')).map(({ session_id: id, title, archived, pinned, project_id: project }) =>
        [id, valueOf({ title, archived, pinned, project })])
    }
  }
}

/** Long conversations that are imported, branched and deleted: each is there as a whole, with its files, or not at all. */
function longOnes (): Kind {
  const book = new Book()
  const ids = new Map<string, string>()
  const valueOf = (messages: number, files: number): string => `${messages} messages, ${files} files`
  const filesOf = (person: Person, id: string): number => {
    const folder = join(person.arena.folder, 'home', 'webui', 'attachments', id)
    return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')).length : 0
  }
  return {
    name: 'long conversations',
    book,
    async act (person) {
      const title = person.name('Long')
      const count = person.random.whole(2, 12) * 100
      const keep = (made: { session_id: string } | undefined): boolean => {
        if (made !== undefined) ids.set(title, made.session_id)
        return made !== undefined
      }
      await actOn({ book }, person, {
        least: 2,
        make: async () => await book.change(title, valueOf(count, 0), async () =>
          keep((await person.got('/api/session/import', { title, messages: messages(count) }))?.session)),
        ways: [
          async (key, value) => {
            const { random } = person
            const [count = 0, files = 0] = value.match(/\d+/g)?.map(Number) ?? []
            const kept = random.chance(0.5) ? count : random.whole(1, count)
            const file = { name: `${title}.txt`, content: Buffer.from(title) }
            await book.change(key, valueOf(count, files + 1), async () => {
              const { status } = await person.send('/api/upload', formOf(file, { session_id: ids.get(key) ?? '' }))
              if (status !== 200) person.arena.tally.wrong(`an upload to ${key} is answered ${status}`)
              return status === 200
            })
            if (book.value(key) === value) return
            await book.change(title, valueOf(kept, files + 1), async () =>
              keep(await person.got('/api/session/branch', { session_id: ids.get(key), keep_count: kept, title }) ?? undefined))
          },
          async (key) => await book.change(key, null, () => person.did('/api/session/delete', { session_id: ids.get(key) })),
          async (key) => await book.change(key, null, () => person.did('/api/session/delete', { session_id: ids.get(key) }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const there = await listed(person, 'Long')
      for (const { title, session_id: id } of there) ids.set(title, id)
      return there.map(({ title, session_id: id, message_count: count }) => [title, valueOf(count, filesOf(person, id))])
    }
  }
}

/** Messages that wait in queues until long after this: added, edited, moved and removed. */
function queues (): Kind {
  const book = new Book()
  const waiting = new Map<string, Array<{ id: string, message: string }>>()
  return {
    name: 'queues',
    book,
    async act (person) {
      const { random } = person
      const title = person.name('Queue')
      if (book.keys().length < 2) {
        await book.create('[]', async () =>
          (await person.got('/api/session/import', { title, messages: messages(2) }))?.session.session_id ?? null)
        return
      }
      const key = random.pick(book.keys())
      const queue = JSON.parse(book.value(key) ?? '[]') as string[]
      const message = person.name('Say')
      const ids = waiting.get(key) ?? []
      const at = random.whole(0, Math.max(0, queue.length - 1))
      const entry = ids.find((one) => one.message === queue[at])
      const change = async (next: string[], body: object): Promise<void> => await book.change(key, JSON.stringify(next), async () => {
        const done = await person.got('/api/session/queue', { session_id: key, ...body })
        if (done !== null) waiting.set(key, done.queue)
        return done !== null
      })
      if (queue.length < 2 || entry === undefined) {
        await change([...queue, message], { action: 'add', message, not_before: farAwayS })
        return
      }
      switch (random.whole(0, 3)) {
        case 0: await change([...queue, message], { action: 'add', message, not_before: farAwayS }); break
        case 1: await change(queue.with(at, message), { action: 'edit', id: entry.id, message }); break
        case 2: await change(queue.toSpliced(at, 1), { action: 'remove', id: entry.id }); break
        default: {
          const index = random.whole(0, queue.length - 1)
          await change(queue.toSpliced(at, 1).toSpliced(index, 0, queue[at] ?? ''), { action: 'move', id: entry.id, index })
        }
      }
    },
    async shown (person): Promise<Shown> {
      const shown: Shown = []
      for (const { session_id: id } of await listed(person, 'Queue')) {
        const { body } = await person.ask(`/api/session/queue?session_id=${id}`)
        waiting.set(id, body.queue)
        shown.push([id, JSON.stringify(body.queue.map(({ message }: { message: string }) => message))])
      }
      return shown
    }
  }
}

/** Half sentences in the boxes of three conversations. */
function drafts (): Kind {
  const book = new Book()
  return {
    name: 'drafts',
    book,
    async act (person) {
      const text = person.name('Half a sentence')
      if (book.keys().length < 3) {
        await book.create('', async () =>
          (await person.got('/api/session/import', { title: person.name('Draft'), messages: messages(1) }))?.session.session_id ?? null)
        return
      }
      const key = person.random.pick(book.keys())
      await book.change(key, text, () => person.did('/api/session/draft', { session_id: key, text, files: [] }))
    },
    async shown (person): Promise<Shown> {
      const shown: Shown = []
      for (const { session_id: id } of await listed(person, 'Draft')) {
        shown.push([id, (await person.ask(`/api/session/draft?session_id=${id}`)).body.draft.text])
      }
      return shown
    }
  }
}

/** Temporary chats that somebody keeps after all: from then on they are conversations as all others. */
function keptOnes (): Kind {
  const book = new Book()
  return {
    name: 'kept temporary chats',
    book,
    async act (person) {
      const id = await book.create('temporary', async () =>
        (await person.got('/api/session/new', { temporary: true }))?.session.session_id ?? null)
      // One that stays temporary is there for a day.
      if (id === null || person.random.chance(0.2)) return
      if (person.random.chance(0.3)) await book.change(id, null, () => person.did('/api/session/delete', { session_id: id, temporary: true }))
      else await book.change(id, 'kept', () => person.did('/api/session/update', { session_id: id, temporary: false }))
    },
    async shown (person): Promise<Shown> {
      const shown: Shown = []
      for (const id of book.known()) {
        const { status, body } = await person.ask(`/api/session?session_id=${id}&messages=0`)
        if (status === 200) shown.push([id, body.session.temporary === true ? 'temporary' : 'kept'])
      }
      return shown
    }
  }
}

export const conversations = (): Kind[] => [sessions(), longOnes(), queues(), drafts(), keptOnes()]
