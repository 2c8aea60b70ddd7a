import { call, type Answer } from '../../wire.js'
import { type Arena } from '../arena.js'
import { Gone } from '../client.js'
import { type Person } from './kind.js'

let counter = 0

/** Creates somebody who changes things at a service. */
export function createPerson (arena: Arena, url: string, branch: string): Person {
  const { tally } = arena
  const gone = (error: unknown): never => { throw new Gone(String(error)) }
  const person: Person = {
    arena,
    random: arena.random.branch(branch),
    async ask (path, body, method = body === undefined ? 'GET' : 'POST', headers) {
      if (headers === undefined) return await call(url + path, method, body).catch(gone)
      return await answerOf(fetch(url + path, { method, headers }))
    },
    async did (path, body, refusals, method) {
      return await person.got(path, body, refusals, method) !== null
    },
    async got (path, body, refusals = [], method = 'POST') {
      const answer = await person.ask(path, body, method)
      if (answer.status === 200) return answer.body
      if (!refusals.includes(answer.status)) {
        tally.wrong(`${method} ${path} with ${JSON.stringify(body)?.slice(0, 200)} is answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 200)}`)
      }
      return null
    },
    async send (path, form) {
      return await answerOf(fetch(url + path, { method: 'POST', body: form }))
    },
    name: (prefix) => `${prefix} ${++counter}`
  }
  return person

  async function answerOf (asked: Promise<Response>): Promise<Answer> {
    try {
      const response = await asked
      return { status: response.status, body: await response.json() }
    } catch (error) {
      return gone(error)
    }
  }
}
