import { settings } from '../app.js'
import { Badge } from '../ui/Badge.js'
import { screenWords } from '../words/index.js'

/** Shows the problems in the profile's config.yaml. */
export function ConfigNotes () {
  const w = screenWords.value.settings
  const error = settings.configError.value
  const problems = settings.configProblems.value
  if (error === null && problems.length === 0) return null
  return (
    <section class='settings-block' aria-label={w.problems}>
      {error === null ? <h2>{w.problems}</h2> : <p class='provider-bad' role='alert'>{w.broken} {error}</p>}
      <ul class='settings-list'>
        {problems.map(({ path, line, level, message }) => (
          <li key={`${path} ${line}`} class='settings-row'>
            {line === null ? null : <Badge kind={level === 'error' ? 'bad' : 'neutral'}>{w.line(line)}</Badge>}
            <span class='settings-row-text'><bdi>{w.problem(level, line === null ? message : message.replace(` (line ${line})`, ''))}</bdi></span>
          </li>
        ))}
      </ul>
    </section>
  )
}
