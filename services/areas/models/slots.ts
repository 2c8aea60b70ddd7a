import { smallTasks, type ModelSlot } from '../../agent/index.js'
import { Invalid } from '../../ground/errors.js'

/** One for each name: several tasks may share a model. */
const slots = [...new Set(Object.values(smallTasks).map(({ slot }) => slot).filter((slot) => slot !== null))]

/** Slots that clients know: their settings are stored, but nothing uses them yet. */
const unused: readonly ModelSlot[] = [
  ['approval', 'Approvals'], ['mcp', 'MCP'], ['skills_hub', 'Skills hub'], ['kanban_decomposer', 'Kanban'],
  ['profile_describer', 'Profiles'], ['triage_specifier', 'Triage']
].map(([task = '', label = '']) => ({ task, label, description: 'kept for clients; nothing uses it yet' }))

/** Returns the slot of a name. Throws Invalid for an unknown name. `all`: the slots in use. */
export const slotNamed = Object.assign((task: string): ModelSlot => {
  const found = [...slots, ...unused].find((slot) => slot.task === task)
  if (found !== undefined) return found
  throw new Invalid(`task: one of ${slotNamed.known.map((slot) => slot.task).join(', ')}, or __reset__`)
}, { all: slots, known: [...slots, ...unused] })
