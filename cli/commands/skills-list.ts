import { SkillList } from '../../schemas/skills.js'
import { visible } from '../../services/ground/text/visible.js'
import { type Run } from '../command.js'
import { runningService } from '../service.js'
import { columns } from '../words.js'

export const run: Run = async () => {
  const answer = await (await runningService()).ask('/api/skills', SkillList)
  const rows = answer.skills.map(({ name, origin, disabled, description }) => [visible(name), origin, disabled ? 'off' : 'on', visible(description)])
  return { text: rows.length === 0 ? 'No skills.' : columns(['NAME', 'ORIGIN', 'STATE', 'DESCRIPTION'], rows), value: answer }
}
