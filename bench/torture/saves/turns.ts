import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTime } from '../mortal.js'
import { Book } from './book.js'
import { actOn, type Kind, type Person, type Shown } from './kind.js'

interface Told { role: string, content: string }

const turnLimitMs = 30_000

async function newSession (person: Person, title: string): Promise<string | null> {
  const messages = [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Hello.' }]
  return (await person.got('/api/session/import', { title: person.name(title), messages }))?.session.session_id ?? null
}

/** Waits until nothing runs or waits in a session. */
async function rest (person: Person, id: string): Promise<void> {
  await inTime(async () => {
    const { body } = await person.ask(`/api/session?session_id=${id}&messages=0`)
    return body.session?.active_stream_id === null && body.session.queued_count === undefined
  }, turnLimitMs)
}

/** Messages to conversations that are busy or not: each begins once, at the latest at the end of the turns before it. */
function talks (): Kind {
  const book = new Book()
  const sessions: string[] = []
  return {
    name: 'messages',
    book,
    async act (person) {
      if (sessions.length < 3) {
        const id = await newSession(person, 'Chat')
        if (id !== null) sessions.push(id)
        return
      }
      const id = person.random.pick(sessions)
      const message = person.name(`words=${person.random.whole(1, 30)} say`)
      await book.change(`${id} ${message}`, 'once', () =>
        person.did('/api/chat/start', { session_id: id, message, if_busy: 'queue', client_id: message }))
    },
    async shown (person): Promise<Shown> {
      const shown: Shown = []
      for (const id of sessions) {
        await rest(person, id)
        const { body } = await person.ask(`/api/session?session_id=${id}`)
        const said = (body.session.messages as Told[]).filter(({ role, content }) => role === 'user' && content.startsWith('words'))
        shown.push(...said.map(({ content }) => [`${id} ${content}`, 'once'] as const))
      }
      return shown
    }
  }
}

/** Conversations with a long journal, which are deleted. */
function journals (): Kind {
  const book = new Book()
  return {
    name: 'long journals',
    book,
    async act (person) {
      await actOn({ book }, person, {
        least: 1,
        make: async () => {
          const id = await book.create('there', () => newSession(person, 'Journal'))
          if (id === null) return
          await person.did('/api/chat/start', { session_id: id, message: `words=${person.random.whole(200, 600)}` })
          await rest(person, id)
        },
        ways: [async (key) => await book.change(key, null, () => person.did('/api/session/delete', { session_id: key }))]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/sessions')
      return (body.sessions as Array<{ session_id: string, title: string }>).filter(({ title }) => title.startsWith('Journal '))
        .map(({ session_id: id }) => [id, 'there'])
    }
  }
}

/** A rule that is made by an answer and revoked: a command runs without a question only while there is one. */
function rules (): Kind {
  const book = new Book()
  return {
    name: 'rules',
    book,
    async act (person) {
      const [known] = book.keys()
      if (known !== undefined) {
        await book.change(known, null, () => person.did('/api/grants/revoke', { pattern_key: known }))
        return
      }
      const id = await newSession(person, 'Rule')
      if (id === null) return
      await person.did('/api/chat/start', { session_id: id, message: 'words=1 run(touch asked.txt)' })
      const card = await inTime(async () => (await person.ask(`/api/approval/pending?session_id=${id}`)).body.pending, turnLimitMs)
      if (card === null) return person.arena.tally.wrong('a command is not asked about though its rule was revoked')
      await book.change(card.pattern_key, 'a rule', () =>
        person.did('/api/approval/respond', { session_id: id, approval_id: card.approval_id, choice: 'always' }))
      await rest(person, id)
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/grants')
      return body.grants.map(({ pattern_key: key }: { pattern_key: string }) => [key, 'a rule'])
    }
  }
}

/** A checkpoint that is restored: each file is the old or the new one as a whole, and once the answer was there, all are the old ones. */
function checkpoints (): Kind {
  const book = new Book()
  const count = 60
  const [old, changed] = ['old\n'.repeat(500), 'new\n']
  let sessionId: string | null = null
  let isRestored = false
  /** Whether a kill may have left a turn that a later one waits behind, or that runs meanwhile. */
  let isCutOff = false
  const compared = { restored: 0, killed: 0 }
  // Beside the folder of all other turns: nothing is restored in a folder where a turn runs.
  const folderOf = (person: Person): string => join(person.arena.folder, 'restored')
  const pathOf = (person: Person, at: number): string => join(folderOf(person), `file-${at}.txt`)
  const readAll = (person: Person): string[] => Array.from({ length: count }, (_, at) =>
    existsSync(pathOf(person, at)) ? readFileSync(pathOf(person, at), 'utf8') : 'nothing')
  function check (person: Person): void {
    for (const [at, text] of readAll(person).entries()) {
      if (text === old || (text === changed && !isRestored)) continue
      person.arena.tally.wrong(`file-${at}.txt is ${text.length} characters ("${text.slice(0, 20)}")${isRestored ? ', and it was restored' : ''}`)
    }
  }
  return {
    name: 'restored checkpoints',
    book,
    async act (person) {
      isRestored = false
      mkdirSync(folderOf(person), { recursive: true })
      for (let at = 0; at < count; at++) writeFileSync(pathOf(person, at), old)
      if (sessionId === null) await person.did('/api/workspaces/add', { path: folderOf(person) }, [409])
      sessionId ??= (await person.got('/api/session/new', { workspace: folderOf(person) }))?.session.session_id ?? null
      const id = sessionId
      if (id === null) return
      const mayDiffer = isCutOff
      isCutOff = true
      await person.did('/api/session/yolo', { session_id: id, enabled: true })
      await person.did('/api/chat/start', {
        session_id: id, message: person.name('words=1 run(for file in file-*.txt; do echo new > $file; done)'), if_busy: 'queue'
      })
      await rest(person, id)
      isCutOff = false
      const found = new Set(readAll(person))
      if (found.size > 1 || !found.has(changed)) {
        if (!mayDiffer) person.arena.tally.wrong(`a turn should have changed all files, and they are ${JSON.stringify([...found])}`)
        return
      }
      const { body } = await person.ask(`/api/rollback/list?session_id=${id}`)
      const [last] = (body.checkpoints as Array<{ checkpoint: string, kind: string }>).filter(({ kind }) => kind === 'turn')
      if (last === undefined) return person.arena.tally.wrong(`a turn that changed files has no checkpoint: ${JSON.stringify(body).slice(0, 300)}`)
      // Refused while a turn runs that was queued before a kill.
      const restored = await person.got('/api/rollback/restore', { session_id: id, checkpoint: last.checkpoint }, [409])
      if (restored?.ok !== true) return
      isRestored = true
      book.changes++
      compared.restored++
      check(person)
    },
    async shown (person): Promise<Shown> {
      if (sessionId === null) return []
      await rest(person, sessionId)
      if (isRestored) compared.killed++
      check(person)
      return []
    },
    note: () => `${compared.restored} restored checkpoints were compared at once, ${compared.killed} of them again after a kill`
  }
}

export const turning = (): Kind[] => [talks(), journals(), rules(), checkpoints()]
