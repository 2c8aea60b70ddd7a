import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { type Wire } from '../core/service/api.js'
import { screenWords } from '../words/index.js'

type Agent = Wire<'AgentModes'>

/** The external agents of the profile, on the machine of the service. */
export const agents = createResource(async () => await api.get('/api/agents'))

/** Says where an agent runs, in a sentence of the app's language; the service's own for a code that this version does not know. */
export function isolationSaid ({ isolation_reason: { code, params }, isolation_note: note }: Agent): string {
  const words = screenWords.value.agents.isolation
  if (!Object.hasOwn(words, code)) return note
  const said = words[code]
  return typeof said === 'string' ? said : said(params['reason'] ?? params['places'] ?? '')
}

/** Says the same, and in the sandbox also what it can write and see. */
export function isolationNote (agent: Agent): string {
  const said = isolationSaid(agent)
  return agent.isolated && said !== agent.isolation_note ? `${said} ${screenWords.value.agents.isolationSees}` : said
}
