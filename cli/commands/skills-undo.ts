import { UndoneImport } from '../../schemas/skills.js'
import { WrongUsage, type Run } from '../command.js'
import { runningService } from '../service.js'

export const run: Run = async ({ operands: [id] }) => {
  if (id === undefined) throw new WrongUsage('Give the id that the import has printed')
  const undone = await (await runningService()).ask('/api/skills/import/undo', UndoneImport, { id })
  const said = [['Removed', undone.removed], ['Restored', undone.restored]] as const
  return { text: said.filter(([, names]) => names.length > 0).map(([verb, names]) => `${verb}: ${names.join(', ')}`).join('\n'), value: undone }
}
