import { useComputed, useSignal } from '@preact/signals'
import { type ComponentChildren } from 'preact'
import { VList } from 'virtua'
import { Link as RouteLink, useLocation } from 'wouter-preact'
import { prompts, sessions, settings } from '../app.js'
import { groupRows, type Group } from '../core/sessions/row-groups.js'
import { Icon } from '../ui/Icon.js'
import { BookOpen, Brain, ChartNoAxesColumn, Clock, Ellipsis, PanelLeft, Search, Settings2, SquarePen } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { isPhone } from '../ui/screen.js'
import { words } from '../words/index.js'
import { ChatRow } from './ChatRow.js'
import { palette } from './palette.js'
import { places } from './places.js'
import { projects, projectsDialog } from './projects.js'
import { railFolded, toggleRail } from './rail-fold.js'
import './rail.css'

const SearchResults = lazy(async () => (await import('./SearchResults.js')).SearchResults, { waiting: null, isBrief: true })

/** The list of chats, and links to all other screens. `onPick` is called when the person has chosen one. */
export function Rail ({ onPick }: { onPick?: () => void }) {
  const w = words.value.shell
  const sought = useSignal('')
  const [path, go] = useLocation()
  const startNew = (): void => {
    go(places.start)
    onPick?.()
  }
  return (
    <nav class='rail' aria-label={w.rail}>
      <div class='rail-brand'>
        {isPhone.value
          ? <span class='rail-mark' aria-hidden='true' />
          : (
            <button
              type='button' class='rail-fold' aria-label={railFolded.value ? w.unfoldRail : w.foldRail}
              aria-expanded={!railFolded.value}
              onClick={() => toggleRail()}
            >
              <span class='rail-mark' aria-hidden='true' />
              <Icon of={PanelLeft} size={18} />
            </button>
            )}
        <span class='rail-name'>{settings.botName}</span>
        <button type='button' class='rail-palette' onClick={() => { palette.value = true }}>
          <span class='visually-hidden'>{w.palette}</span>
          <kbd aria-hidden='true'>Ctrl K</kbd>
        </button>
      </div>
      <button type='button' class='rail-new' aria-label={w.newChat} onClick={startNew}>
        <Icon of={SquarePen} /> <span>{w.newChat}</span>
      </button>
      <label class='rail-search'>
        <Icon of={Search} size={15} />
        <input
          type='search' placeholder={w.search} aria-label={w.search} value={sought}
          onInput={({ currentTarget }) => { sought.value = currentTarget.value }}
          onKeyDown={(event) => { if (event.key === 'Escape' && sought.value !== '') { event.stopPropagation(); sought.value = '' } }}
        />
      </label>
      <div
        class='rail-list' data-kept={sessions.isKept.value || undefined}
        onClick={({ target }) => { if (target instanceof Element && target.closest('a') !== null) onPick?.() }}
      >
        {sought.value.trim() === '' ? <Chats path={path} /> : <SearchResults text={sought.value.trim()} path={path} />}
      </div>
      <div class='rail-foot'>
        <FootLink to={places.tasks} path={path} name={w.tasks}><Icon of={Clock} /></FootLink>
        <FootLink to={places.skills} path={path} name={w.skills}><Icon of={BookOpen} /></FootLink>
        <FootLink to={places.memory} path={path} name={w.memory}><Icon of={Brain} /></FootLink>
        <FootLink to={places.usage} path={path} name={w.usage}><Icon of={ChartNoAxesColumn} /></FootLink>
        <FootLink to={places.settings} path={path} name={w.settings}><Icon of={Settings2} /></FootLink>
      </div>
    </nav>
  )
}

function FootLink ({ to, path, name, children }: { to: string, path: string, name: string, children: ComponentChildren }) {
  return (
    <RouteLink href={to} class='rail-foot-link' aria-label={name} aria-current={path.startsWith(to) ? 'page' : undefined}>
      {children}
      <span class='rail-foot-name'>{name}</span>
    </RouteLink>
  )
}

/** Below this number of rows everything is drawn: that is as fast, and the browser's search finds it. */
const drawnAtOnce = 150

function Chats ({ path }: { path: string }) {
  const w = words.value.shell
  const groups = useComputed(() => groupRows(sessions.rows.value, {
    waiting: new Set(prompts.waiting.value.map(({ sessionId }) => sessionId)),
    projectIds: projects.value.map(({ project_id: id }) => id),
    now: new Date()
  }))
  if (!sessions.isKnown.value) return <p class='rail-note' role='status'>{words.value.common.loading} …</p>
  if (groups.value.length === 0) return <p class='rail-note'>{w.empty}</p>
  const entries = groups.value.flatMap((group) => [
    <h2 class='rail-group' key={keyOf(group)}>
      {group.kind === 'project'
        ? <span class='rail-mark-project' style={{ backgroundColor: colourOf(group.projectId) }} aria-hidden />
        : null}
      {nameOf(group)}
      {group.kind === 'waiting'
        ? <span>{group.rows.length}</span>
        : group.kind === 'project' ? <ProjectButton name={nameOf(group)} /> : null}
    </h2>,
    ...group.rows.map((row) => (
      <ChatRow
        key={`${group.kind === 'waiting' ? 'waits ' : ''}${row.session_id}`} row={row}
        isCurrent={path === places.session(row.session_id)}
      />
    ))
  ])
  const more = sessions.hasMore.value
    ? <button type='button' key='more' class='rail-more' onClick={() => { void sessions.loadMore().catch(() => {}) }}>{w.loadMore}</button>
    : null
  if (entries.length < drawnAtOnce) return <div class='rail-scroll'>{entries}{more}</div>
  return <VList class='rail-scroll' onScrollEnd={() => { void sessions.loadMore().catch(() => {}) }}>{[...entries, more]}</VList>
}

/** Opens the names and colours of all projects. */
function ProjectButton ({ name }: { name: string }) {
  return (
    <button
      type='button' class='rail-group-more' aria-label={words.value.shell.projectOf(name)}
      onClick={() => { projectsDialog.value = { sessionId: null } }}
    >
      <Icon of={Ellipsis} />
    </button>
  )
}

const colourOf = (projectId: string): string => projects.value.find(({ project_id: id }) => id === projectId)?.color ?? 'var(--edge)'

const keyOf = (group: Group): string => group.kind === 'project'
  ? group.projectId
  : group.kind === 'month' ? `${group.year}-${group.month}` : group.kind

function nameOf (group: Group): string {
  const w = words.value.shell
  if (group.kind === 'project') return projects.value.find(({ project_id: id }) => id === group.projectId)?.name ?? ''
  return group.kind === 'month' ? w.month(group.year, group.month) : w[group.kind]
}
