import { useSearch } from 'wouter-preact'
import { navigate } from 'wouter-preact/use-browser-location'
import { useEffect } from 'preact/hooks'
import { link } from '../app.js'
import { visible } from '../core/files/paths.js'
import { folderName } from '../core/machines/location.js'
import { Link } from '../ui/Link.js'
import { Loaded } from '../ui/Loaded.js'
import { Page } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { Icon } from '../ui/Icon.js'
import { Check, ChevronLeft, GitFork } from '../ui/icons.js'
import { Spinner } from '../ui/Spinner.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { list } from './attempts.js'
import { Comparison } from './Comparison.js'
import './attempts.css'

/** The attempts of the profile, or one set of them compared. */
export function AttemptsScreen () {
  const asked = new URLSearchParams(useSearch()).get('attempts')
  const w = screenWords.value.attempts
  return (
    <Page wide title={words.value.shell.attempts}>
      {asked === null
        ? <AttemptsList />
        : (
          <>
            <Link href={places.attempts} class='attempts-back'><Icon of={ChevronLeft} size={16} />{w.all}</Link>
            <Comparison key={asked} id={asked} />
          </>
          )}
    </Page>
  )
}

function AttemptsList () {
  useEffect(() => link.onFrame(({ event }) => { if (event === 'attempts_changed') void list.refresh() }), [])
  const w = screenWords.value.attempts
  return (
    <Loaded of={list} lines={6}>
      {(all) => all.length === 0
        ? (
          <EmptyState
            icon={GitFork} title={w.none} actions={<Button onClick={() => navigate(places.newChat)}>{words.value.shell.newChat}</Button>}
          >
            {w.noneText}
          </EmptyState>
          )
        : (
          <ul class='attempts-list'>
            {all.map(({ attempts_id: id, message, workspace, count, state, taken_session_id: taken, created_at: at }) => (
              <li key={id}>
                <Link href={places.attemptsAt(id)} class='attempts-row'>
                  {state === 'ready' ? <Icon of={taken === null ? GitFork : Check} /> : <Spinner size={16} />}
                  <span class='attempts-row-text'><bdi>{message}</bdi></span>
                  <span class='attempts-row-side' title={visible(workspace)}>
                    {w.count(count)} · <bdi>{folderName(workspace)}</bdi> · {times.at(at)}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
          )}
    </Loaded>
  )
}
