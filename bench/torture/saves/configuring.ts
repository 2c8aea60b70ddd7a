import { Book } from './book.js'
import { actOn, type Kind, type Person, type Shown } from './kind.js'

/** Projects, with names, colours and instructions. */
function projects (): Kind {
  const book = new Book()
  const valueOf = (name: string, instructions = ''): string => JSON.stringify([name, instructions])
  return {
    name: 'projects',
    book,
    async act (person) {
      const name = person.name('project')
      await actOn({ book }, person, {
        least: 4,
        make: () => book.create(valueOf(name), async () =>
          (await person.got('/api/projects/create', { name }))?.project.project_id ?? null),
        ways: [
          async (key, value) => await book.change(key, valueOf(name, JSON.parse(value)[1]), () =>
            person.did('/api/projects/rename', { project_id: key, name })),
          async (key, value) => await book.change(key, valueOf(JSON.parse(value)[0], name), () =>
            person.did('/api/projects/update', { project_id: key, instructions: name })),
          async (key) => await book.change(key, null, () => person.did('/api/projects/delete', { project_id: key }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/projects')
      return body.projects.filter(({ name }: { name: string }) => name.startsWith('project'))
        .map((project: { project_id: string, name: string, instructions?: string }) =>
          [project.project_id, valueOf(project.name, project.instructions)])
    }
  }
}

/** Jobs that are due in a month. */
function schedules (): Kind {
  const book = new Book()
  interface Job { id: string, prompt: string, schedule: { minutes?: number }, state: string }
  const valueOf = (prompt: string, days: number, isPaused: boolean): string => JSON.stringify([prompt, days, isPaused])
  return {
    name: 'schedules',
    book,
    async act (person) {
      const [prompt, days] = [person.name('job'), person.random.whole(30, 60)]
      await actOn({ book }, person, {
        least: 4,
        make: () => book.create(valueOf(prompt, days, false), async () =>
          (await person.got('/api/crons/create', { prompt, schedule: `every ${days}d` }))?.job.id ?? null),
        ways: [
          async (key, value) => await book.change(key, valueOf(prompt, days, JSON.parse(value)[2]), () =>
            person.did('/api/crons/update', { job_id: key, prompt, schedule: `every ${days}d` })),
          async (key, value) => {
            const [before, daysBefore, isPaused] = JSON.parse(value) as [string, number, boolean]
            await book.change(key, valueOf(before, daysBefore, !isPaused), () =>
              person.did(isPaused ? '/api/crons/resume' : '/api/crons/pause', { job_id: key }))
          },
          async (key) => await book.change(key, null, () => person.did('/api/crons/delete', { job_id: key }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/crons')
      return body.jobs.map(({ id, prompt, schedule, state }: Job) => [id, valueOf(prompt, (schedule.minutes ?? 0) / 1_440, state === 'paused')])
    }
  }
}

/** Addresses for other programs, with their jobs. */
function hooks (): Kind {
  const book = new Book()
  const valueOf = (name: string, template: string): string => JSON.stringify([name, template])
  return {
    name: 'hooks',
    book,
    async act (person) {
      const name = person.name('hook')
      await actOn({ book }, person, {
        least: 3,
        make: () => book.create(valueOf(name, name), async () =>
          (await person.got('/api/hooks/create', { name, template: name }))?.hook.id ?? null),
        ways: [
          async (key, value) => await book.change(key, valueOf(JSON.parse(value)[0], name), () =>
            person.did('/api/hooks/update', { id: key, template: name })),
          async (key) => await book.change(key, null, () => person.did('/api/hooks/delete', { id: key }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/hooks')
      return body.hooks.map(({ id, name, template }: { id: string, name: string, template: string }) => [id, valueOf(name, template)])
    }
  }
}

/** MCP servers that are switched off, so that none is started. */
function mcpServers (): Kind {
  const book = new Book()
  return {
    name: 'MCP servers',
    book,
    async act (person) {
      const [name, argument] = [person.name('server').replace(' ', '-'), person.name('argument')]
      const put = (key: string, method: string) => book.change(key, argument, () =>
        person.did(`/api/mcp/servers/${key}`, { ...(method === 'PUT' && { command: 'true', enabled: false }), args: [argument] }, [], method))
      await actOn({ book }, person, {
        least: 3,
        make: async () => await put(name, 'PUT'),
        ways: [
          async (key) => await put(key, 'PUT'),
          async (key) => await put(key, 'PATCH'),
          async (key) => await book.change(key, null, () => person.did(`/api/mcp/servers/${key}`, undefined, [], 'DELETE'))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/mcp/servers')
      return body.servers.filter(({ plugin }: { plugin: string | null }) => plugin === null)
        .map(({ name, args }: { name: string, args: string[] }) => [name, args.join(' ')])
    }
  }
}

/** Ways to speak, which are in the same file as MCP servers and budgets. */
function personalities (): Kind {
  const book = new Book()
  return {
    name: 'personalities',
    book,
    async act (person) {
      const [name, prompt] = [person.name('voice'), person.name('Speak as')]
      const save = (key: string) => book.change(key, prompt, () => person.did('/api/personality/save', { name: key, prompt }))
      await actOn({ book }, person, {
        least: 3,
        make: async () => await save(name),
        ways: [save, async (key) => await book.change(key, null, () => person.did('/api/personality/delete', { name: key }))]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/personalities')
      const shown: Shown = []
      for (const { name } of body.personalities as Array<{ name: string }>) {
        if (name.startsWith('voice')) shown.push([name, (await person.ask(`/api/personality?name=${encodeURIComponent(name)}`)).body.prompt])
      }
      return shown
    }
  }
}

/** Values that stand alone: settings, a limit of a budget, and up to where somebody has read. */
function singleValues (): Kind {
  const book = new Book()
  async function shown (person: Person): Promise<Shown> {
    const { body: settings } = await person.ask('/api/settings')
    const { body: { limits } } = await person.ask('/api/budgets')
    const { body: home } = await person.ask('/api/home')
    const values = {
      bot_name: settings.bot_name, pinned_sessions_limit: settings.pinned_sessions_limit, show_thinking: settings.show_thinking,
      soft_tokens: limits.day.soft_tokens, seen_at: home.seen_at
    }
    return Object.entries(values).map(([name, value]) => [name, String(value)])
  }
  return {
    name: 'single values',
    book,
    async act (person) {
      if (book.size === 0) for (const [name, value] of await shown(person)) book.note(name, value)
      const { random } = person
      const name = random.pick(['bot_name', 'pinned_sessions_limit', 'show_thinking', 'soft_tokens', 'seen_at'])
      const set = async (value: string | number | boolean, path: string, body: object): Promise<void> =>
        await book.change(name, String(value), () => person.did(path, body))
      switch (name) {
        case 'soft_tokens': {
          const tokens = random.whole(1, 1_000_000)
          return await set(tokens, '/api/budgets', { day: { soft_tokens: tokens } })
        }
        case 'seen_at': {
          // It only grows.
          const at = Number(book.value(name)?.replace('null', '0')) + random.whole(1, 100)
          return await set(at, '/api/home/seen', { at })
        }
        default: {
          const value = name === 'bot_name' ? person.name('bot') : name === 'show_thinking' ? random.chance(0.5) : random.whole(10, 90)
          return await set(value, '/api/settings', { [name]: value })
        }
      }
    },
    // Before the first change, what was there from the beginning is not known.
    shown: async (person) => book.size === 0 ? [] : await shown(person)
  }
}

/** Notes, what is known about the user, and who the agent is. */
function memory (): Kind {
  const book = new Book()
  const sections = ['memory', 'user', 'soul'] as const
  async function shown (person: Person): Promise<Shown> {
    const { body } = await person.ask('/api/memory?plain=1')
    return sections.map((section) => [section, body[section]])
  }
  return {
    name: 'memory',
    book,
    async act (person) {
      if (book.size === 0) for (const [name, value] of await shown(person)) book.note(name, value)
      const [section, content] = [person.random.pick(sections), `${person.name('A note')}\n`]
      await book.change(section, content, () => person.did('/api/memory/write', { section, content }))
    },
    // Before the first change, what was there from the beginning is not known.
    shown: async (person) => book.size === 0 ? [] : await shown(person)
  }
}

/** Homes with files of their own. */
function profiles (): Kind {
  const book = new Book()
  return {
    name: 'profiles',
    book,
    async act (person) {
      const name = person.name('profile').toLowerCase().replace(/[^a-z0-9]/g, '-')
      await actOn({ book }, person, {
        least: 2,
        make: async () => await book.change(name, 'there', () => person.did('/api/profile/create', { name, clone_config: true })),
        ways: [async (key) => await book.change(key, null, () => person.did('/api/profile/delete', { name: key }))]
      })
    },
    async shown (person): Promise<Shown> {
      const { body } = await person.ask('/api/profiles')
      return body.profiles.filter(({ is_default: isDefault }: { is_default: boolean }) => !isDefault)
        .map(({ name }: { name: string }) => [name, 'there'])
    }
  }
}

export const configuring = (): Kind[] => [
  projects(), schedules(), hooks(), mcpServers(), personalities(), singleValues(), memory(), profiles()
]
