import { useSignal } from '@preact/signals'
import { type Wire } from '../core/service/api.js'
import { TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { textNamed } from '../words/text-named.js'
import { aboutCommand } from '../composer/assist.js'
import { byCategory } from './catalog.js'

/** Lists the bundles of skills. */
export function Bundles ({ bundles }: { bundles: Wire<'BundleList'>['bundles'] }) {
  const w = screenWords.value.skills
  if (bundles.length === 0) return <p class='skills-note'>{w.noBundles}</p>
  return (
    <ul class='skills-list'>
      {bundles.map(({ name, description, skill_count: count }) => (
        <li key={name} class='skill-row'>
          <div class='skill-text'>
            <div class='skill-line'><code>/{name}</code><span class='skills-note'>{w.bundled(count)}</span></div>
            {description === '' ? null : <p class='skill-description'><bdi>{description}</bdi></p>}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Lists the commands. */
export function Commands ({ commands }: { commands: ReadonlyArray<Wire<'Command'>> }) {
  const sought = useSignal('')
  const w = screenWords.value.skills
  const text = sought.value.trim().toLocaleLowerCase().replace(/^\//, '')
  const found = commands.filter((command) =>
    [command.name, aboutCommand(command), ...command.aliases].join(' ').toLocaleLowerCase().includes(text))
  return (
    <>
      <TextField
        label={w.searchCommands} bare type='search' placeholder={w.searchCommands} value={sought.value}
        onValue={(typed) => { sought.value = typed }}
      />
      {found.length === 0 ? <p class='skills-note' role='status'>{w.noCommand}</p> : null}
      {byCategory(found).map(([category, of]) => (
        <section key={category} class='skills-group' aria-label={textNamed(w.categories, category)}>
          <h2 class='skills-category'><bdi>{textNamed(w.categories, category)}</bdi></h2>
          <ul class='skills-list'>
            {of.map(({ name, description, args_hint: args, aliases }) => (
              <li key={name} class='skill-row'>
                <div class='skill-text'>
                  <div class='skill-line'>
                    <code><bdi>/{name}{args === '' ? '' : ` ${args}`}</bdi></code>
                    {aliases.length === 0 ? null : <span class='skills-note'>{aliases.map((alias) => `/${alias}`).join(' ')}</span>}
                  </div>
                  <p class='skill-description'><bdi>{aboutCommand({ name, description })}</bdi></p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}
