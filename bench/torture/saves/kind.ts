import { type Arena } from '../arena.js'
import { type Random } from '../random.js'
import { type Answer } from '../../wire.js'
import { type Book } from './book.js'

/** Somebody who changes one kind of things. Requests that are not answered throw `Gone`: nothing was promised. */
export interface Person {
  arena: Arena
  random: Random
  ask (path: string, body?: unknown, method?: string, headers?: Record<string, string>): Promise<Answer>
  /** Sends a change; false: it was refused with one of `refusals`. Any other answer than 200 is a finding. */
  did (path: string, body: unknown, refusals?: readonly number[], method?: string): Promise<boolean>
  /** As `did`, and returns the body; null for a refusal. */
  got (path: string, body: unknown, refusals?: readonly number[], method?: string): Promise<Answer['body'] | null>
  send (path: string, form: FormData): Promise<Answer>
  /** Returns a text that no other call returns. */
  name (prefix: string): string
}

/** Things as they are there: their keys and values. */
export type Shown = Array<readonly [key: string, value: string]>

/** One kind of things that people save. */
export interface Kind {
  name: string
  book: Book
  /** Makes one change, as a person would. */
  act (person: Person): Promise<void>
  /** Returns everything of this kind that is there. */
  shown (person: Person): Promise<Shown>
  /** A figure for the reader. */
  note? (): string
}

/** Changes something that is there in one of several ways, or makes a new one: always one if there are fewer than `least`. */
export async function actOn (
  { book }: { book: Book }, person: Person, { least, make, ways }: {
    least: number, make: () => Promise<unknown>, ways: Array<(key: string, value: string) => Promise<unknown>>
  }
): Promise<void> {
  const keys = book.keys()
  if (keys.length < least || person.random.chance(0.2)) {
    await make()
    return
  }
  const key = person.random.pick(keys)
  await person.random.pick(ways)(key, book.value(key) ?? '')
}

/** Returns a form with one file. */
export function formOf (file: { name: string, content: Buffer }, fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new Blob([new Uint8Array(file.content)]), file.name)
  return form
}
