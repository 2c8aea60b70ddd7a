import { useSignal } from '@preact/signals'
import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Switch } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { usesOf, type Skill } from './catalog.js'
import { skills, usage } from './skills.js'
import { sayDescription } from './say-description.js'

/** A skill in the list: its description, its origin, and whether it is enabled. */
export function SkillRow ({ skill, onOpen }: { skill: Skill, onOpen: () => void }) {
  const wanted = useSignal<boolean | null>(null)
  const w = screenWords.value.skills
  const { name, description, disabled, origin, warning, shadows } = skill
  const uses = usesOf(usage.value.value, name)
  const toggle = async (enabled: boolean): Promise<void> => {
    wanted.value = enabled
    await attempt(() => api.post('/api/skills/toggle', { name, enabled }))
    await skills.refresh()
    wanted.value = null
  }
  const isOn = wanted.value ?? !disabled
  return (
    <li class='skill-row' data-off={!isOn || undefined}>
      <div class='skill-text'>
        <div class='skill-line'>
          <button type='button' class='skill-name' onClick={onOpen}><bdi>{name}</bdi></button>
          {origin === 'profile' ? null : <Badge>{w.origins[origin]}</Badge>}
          {uses > 0 ? <span class='skills-note'>{w.uses(uses)}</span> : null}
        </div>
        {description === '' ? null : <p class='skill-description'><bdi>{sayDescription(description)}</bdi></p>}
        {warning === null ? null : <p class='skill-warning'><bdi>{warning}</bdi></p>}
        {shadows.length === 0 ? null : <p class='skills-note'>{w.shadows(shadows.map((one) => w.origins[one.origin]).join(', '))}</p>}
      </div>
      <Switch
        class='skill-switch' label={w.isOn(name)} checked={isOn} disabled={wanted.value !== null}
        onChecked={(on) => { void toggle(on) }}
      />
    </li>
  )
}
