import { Conflict, Invalid } from '../ground/errors.js'

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

/** Slots that clients know by name and that nothing uses yet. */
const unused = new Set([
  'approval', 'mcp', 'skills_hub', 'kanban_decomposer', 'profile_describer', 'triage_specifier'
])

/** The slot of a name. Throws Invalid for a name that nobody knows, Conflict for a slot that nothing uses. */
export const slotNamed = Object.assign((task: string): ModelSlot => {
  const found = slots.find((slot) => slot.task === task)
  if (found !== undefined) return found
  if (unused.has(task)) throw new Conflict(`Nothing uses a model for ${task} yet`, 'not_supported')
  throw new Invalid(`task: one of ${slots.map((slot) => slot.task).join(', ')}, or __reset__`)
}, { all: slots })
