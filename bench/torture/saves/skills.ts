import { zipOf } from '../../../test/support/archives.js'
import { Book } from './book.js'
import { actOn, formOf, type Kind, type Person, type Shown } from './kind.js'

interface ShownSkill { name: string, description: string, origin: string }

const perArchive = 4
const textOf = (name: string, description: string): string => `---\nname: ${name}\ndescription: ${description}\n---\n\n${'Do it well.\n'.repeat(50)}`
const namesOf = async (person: Person): Promise<ShownSkill[]> =>
  ((await person.ask('/api/skills')).body.skills as ShownSkill[]).filter(({ origin }) => origin === 'profile')

/** Skills that are written in the app. */
export function skills (): Kind {
  const book = new Book()
  return {
    name: 'skills',
    book,
    async act (person) {
      const [name, description] = [person.name('skill').replace(' ', '-'), person.name('About')]
      const save = (key: string) => book.change(key, description, () =>
        person.did('/api/skills/save', { name: key, content: textOf(key, description) }))
      await actOn({ book }, person, {
        least: 4,
        make: async () => await save(name),
        ways: [save, async (key) => await book.change(key, null, () => person.did('/api/skills/delete', { name: key }))]
      })
    },
    async shown (person): Promise<Shown> {
      return (await namesOf(person)).filter(({ name }) => name.startsWith('skill')).map(({ name, description }) => [name, description])
    }
  }
}

/** Archives of several skills: all of them are imported, or none; an import that was undone stays undone. */
export function skillArchives (): Kind {
  const book = new Book()
  const undo = new Map<string, string>()
  return {
    name: 'imported skills',
    book,
    async act (person) {
      const group = person.name('archive').replace(' ', '-')
      await actOn({ book }, person, {
        least: 2,
        make: async () => {
          const content = zipOf(Array.from({ length: perArchive }, (_, at) => [
            { name: `${group}-x${at}/SKILL.md`, content: textOf(`${group}-x${at}`, group) },
            ...Array.from({ length: 10 }, (_, file) => ({ name: `${group}-x${at}/file-${file}.txt`, content: 'A line.\n'.repeat(1_000) }))
          ]).flat())
          const { status, body } = await person.send('/api/skills/inspect', formOf({ name: `${group}.zip`, content }))
          if (status !== 200) return person.arena.tally.wrong(`an archive of skills is answered ${status}: ${JSON.stringify(body).slice(0, 200)}`)
          const chosen = (body.skills as Array<{ id: string }>).map(({ id }) => ({ id }))
          undo.set(group, body.id)
          await book.change(group, String(perArchive), () => person.did('/api/skills/import', { id: body.id, skills: chosen }))
        },
        ways: [
          async (key) => await book.change(key, null, () => person.did('/api/skills/import/undo', { id: undo.get(key) }))
        ]
      })
    },
    async shown (person): Promise<Shown> {
      const counts = new Map<string, number>()
      for (const { name, description } of await namesOf(person)) {
        if (name.startsWith('archive')) counts.set(description, (counts.get(description) ?? 0) + 1)
      }
      return [...counts].map(([group, count]) => [group, String(count)])
    }
  }
}
