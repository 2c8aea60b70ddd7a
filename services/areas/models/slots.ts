import { Invalid } from '../../ground/errors.js'

/** A kind of small task that may have a model of its own. */
export interface ModelSlot { task: string, label: string, description: string }

const slots: readonly ModelSlot[] = [
  { task: 'title_generation', label: 'Titles', description: 'names a conversation after its first exchange' },
  { task: 'compression', label: 'Compression', description: 'sums up the older part of a conversation that fills its window' },
  { task: 'commit_message', label: 'Commit messages', description: 'writes the message for staged changes' },
  { task: 'curator', label: 'Memory', description: 'tidies a document of the memory on request' },
  { task: 'goal_judge', label: 'Goals', description: 'judges after each turn whether a goal is reached' },
  { task: 'vision', label: 'Vision', description: 'describes images to a main model that cannot see them' },
  { task: 'web_extract', label: 'Web pages', description: 'takes from long web pages what matters for the request' },
  { task: 'session_search', label: 'Earlier conversations', description: 'sums up what was found in earlier conversations for the request' }
]

/** Slots that clients know by name: what is chosen for them is kept, and nothing uses it yet. */
const unused: readonly ModelSlot[] = [
  ['approval', 'Approvals'], ['mcp', 'MCP'], ['skills_hub', 'Skills hub'], ['kanban_decomposer', 'Kanban'],
  ['profile_describer', 'Profiles'], ['triage_specifier', 'Triage']
].map(([task = '', label = '']) => ({ task, label, description: 'kept for clients; nothing uses it yet' }))

/** The slot of a name. Throws Invalid for a name that nobody knows. `all`: those that something uses. */
export const slotNamed = Object.assign((task: string): ModelSlot => {
  const found = [...slots, ...unused].find((slot) => slot.task === task)
  if (found !== undefined) return found
  throw new Invalid(`task: one of ${slotNamed.known.map((slot) => slot.task).join(', ')}, or __reset__`)
}, { all: slots, known: [...slots, ...unused] })
