import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createResource } from '../core/service/resource.js'
import { helpPage } from '../ui/help.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

const health = createResource(async () => await api.get('/api/system/health'))

/** Shows the health of the service, its documentation and licence, and who sets its address. */
export function About () {
  const { about: w, byAdministrator } = screenWords.value.settings
  return (
    <>
      <Loaded of={health} lines={8}>
        {(now) => {
          const facts: ReadonlyArray<readonly [string, string]> = [
            [w.state, now.status === 'ok' ? w.ok : `${w.degraded}: ${now.reason ?? ''}`],
            [w.node, now.node],
            [w.sqlite, now.sqlite],
            [w.uptime, times.at(Date.now() / 1_000 - now.uptime_seconds)],
            [w.memory, `${Math.round(now.memory_bytes / 1_048_576)} MiB`],
            [w.database, [now.database.writable ? w.writable : w.readOnly, ...now.database.check === 'ok' ? [] : [now.database.check]].join(', ')],
            [w.backup, now.backup.warning ?? (now.backup.result === 'ok' ? w.ok : now.backup.result)],
            [w.agent, now.agent.running ? w.running : w.resting],
            [w.sandbox, sandboxText(now.sandbox)],
            [w.git, `${now.git.engine} ${now.git.version}`]
          ]
          return (
            <dl class='settings-facts'>
              {facts.map(([name, fact]) => <div key={name} class='settings-fact'><dt>{name}</dt><dd>{fact}</dd></div>)}
            </dl>
          )
        }}
      </Loaded>
      <p class='settings-link'><a href={helpPage()} target='_blank' rel='noreferrer'>{w.help}</a></p>
      <p class='settings-link'><a href='/docs' target='_blank' rel='noreferrer'>{w.docs}</a></p>
      <p class='settings-note'>
        {w.licence} <a href='/static/app/THIRD-PARTY-NOTICES.txt' target='_blank' rel='noreferrer'>{w.licences}</a>
      </p>
      <Part name='network'><p class='settings-note'>{byAdministrator}</p></Part>
    </>
  )
}

function sandboxText ({ kind, note }: Wire<'SystemHealth'>['sandbox']): string {
  const { sandboxes } = screenWords.value.settings.about
  if (kind === null) return sandboxes.none
  return kind === 'bwrap' || kind === 'container' ? sandboxes[kind] : note
}
