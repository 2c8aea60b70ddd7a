import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Book } from './book.js'
import { actOn, type Kind, type Shown } from './kind.js'

interface Device { id: string, name: string }

/** The answer to more than a few wrong codes in a minute, from the same address. */
const tooMany = [429]

/** Tokens of scripts, and codes by which devices are paired, once each. A token that was revoked is let in no more. */
function devices (): Kind {
  const book = new Book()
  const tokens = new Map<string, string>()
  return {
    name: 'tokens and devices',
    book,
    async act (person) {
      const name = person.name('device')
      await actOn({ book }, person, {
        least: 3,
        make: () => book.create(name, async () => {
          const isPaired = person.random.chance(0.5)
          const made = isPaired
            ? await person.got('/api/auth/pair', {
              code: (await person.got('/api/auth/tokens/pair', { name, scope: 'read' }))?.code, as: 'token'
            }, tooMany)
            : await person.got('/api/auth/tokens/create', { name, scope: 'read' })
          if (made === null) return null
          tokens.set(made.device.id, made.token)
          return made.device.id as string
        }),
        ways: [
          async (key) => await book.change(key, name, () => person.did('/api/auth/tokens/rename', { id: key, name })),
          async (key) => await book.change(key, null, () => person.did('/api/auth/tokens/revoke', { id: key }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/auth/tokens')
      const own = (body.tokens as Device[]).filter(({ name }) => name.startsWith('device'))
      const there = new Map(own.map(({ id, name }) => [id, name]))
      for (const [id, token] of tokens) {
        const { status } = await person.ask('/api/sessions?limit=1', undefined, 'GET', { authorization: `Bearer ${token}` })
        if ((status === 200) !== there.has(id)) person.arena.tally.wrong(`the token of ${id} is answered ${status}, and it is ${there.has(id) ? '' : 'not '}listed`)
        if (!there.has(id)) tokens.delete(id)
      }
      return [...there]
    }
  }
}

/** Codes that let in one device each, also when they are sent again. */
function pairingCodes (): Kind {
  const book = new Book()
  return {
    name: 'pairing codes',
    book,
    async act (person) {
      const name = person.name('paired')
      const begun = await person.got('/api/auth/tokens/pair', { name, scope: 'read' })
      if (begun === null) return
      const pairing = { code: begun.code, as: 'token' }
      await book.change(name, 'once', () => person.did('/api/auth/pair', pairing, tooMany))
      if (book.value(name) === undefined) return
      // At once, because codes are kept in memory: after a kill there is none that could work twice.
      const { status } = await person.ask('/api/auth/pair', pairing)
      person.arena.tally.checked()
      if (status !== 401) person.arena.tally.wrong(`the used code of ${name} is answered ${status}`)
    },
    async shown (person): Promise<Shown> {
      const tokens = (await person.ask('/api/auth/tokens')).body.tokens as Device[]
      return tokens.filter(({ name }) => name.startsWith('paired')).map(({ name }) => [name, 'once'])
    }
  }
}

/** Public pages of a conversation. */
function shares (): Kind {
  const book = new Book()
  const paths = new Map<string, string>()
  let sessionId: string | null = null
  return {
    name: 'shared pages',
    book,
    async act (person) {
      sessionId ??= (await person.got('/api/session/import', {
        title: 'To be shared', messages: Array.from({ length: 20 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Said ${at}` }))
      }))?.session.session_id ?? null
      const id = sessionId
      if (id === null) return
      await actOn({ book }, person, {
        least: 3,
        make: () => book.create('shared', async () => {
          const made = await person.got('/api/session/share', { session_id: id })
          if (made === null) return null
          paths.set(made.share_id, made.path)
          return made.share_id as string
        }),
        ways: [async (key) => await book.change(key, null, () => person.did('/api/shares/revoke', { share_id: key }))]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/shares')
      const there = new Set(body.shares.map(({ share_id: id }: { share_id: string }) => id) as string[])
      for (const [id, path] of paths) {
        const { status } = await person.ask(path)
        if ((status === 200) !== there.has(id)) person.arena.tally.wrong(`the page ${id} is answered ${status}, and it is ${there.has(id) ? '' : 'not '}listed`)
      }
      return [...there].map((id) => [id, 'shared'])
    }
  }
}

/** Plugins that are switched on and off. */
function plugins (): Kind {
  const book = new Book()
  const names = ['alpha', 'beta']
  let isWritten = false
  return {
    name: 'plugins',
    book,
    async act (person) {
      if (!isWritten) for (const name of names) write(join(person.arena.folder, 'home', 'plugins', name), name)
      isWritten = true
      const name = person.random.pick(names)
      const enabled = person.random.chance(0.6)
      await book.change(name, enabled ? 'on' : null, () => person.did('/api/plugins', { name, enabled }))
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/plugins')
      const { body: { commands } } = await person.ask('/api/commands')
      const on = body.plugins.filter(({ enabled }: { enabled: boolean }) => enabled).map(({ name }: { name: string }) => name) as string[]
      for (const name of names) {
        const isThere = commands.some((command: { name: string }) => command.name === `${name}:check`)
        if (isThere !== on.includes(name)) {
          person.arena.tally.wrong(`the plugin ${name} is ${on.includes(name) ? 'on' : 'off'}, and its command is ${isThere ? '' : 'not '}there`)
        }
      }
      return on.map((name) => [name, 'on'])
    }
  }
}

function write (folder: string, name: string): void {
  mkdirSync(join(folder, '.claude-plugin'), { recursive: true })
  mkdirSync(join(folder, 'commands'))
  writeFileSync(join(folder, '.claude-plugin', 'plugin.json'), JSON.stringify({ name, description: name, version: '1.0.0' }))
  for (let at = 0; at < 20; at++) writeFileSync(join(folder, 'commands', `c${at}.md`), `---\ndescription: ${at}\n---\n${'Do it.\n'.repeat(500)}`)
  writeFileSync(join(folder, 'commands', 'check.md'), '---\ndescription: Check it\n---\nCheck it.\n')
}

export const access = (): Kind[] => [devices(), pairingCodes(), shares(), plugins()]
