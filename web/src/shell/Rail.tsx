import { useComputed, useSignal } from '@preact/signals'
import { type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type VList } from 'virtua'
import { useLocation } from 'wouter-preact'
import { sessions, settings } from '../app.js'
import { controlKey } from '../core/screen/shortcuts.js'
import { keyOfGroup, type Group } from '../core/sessions/row-groups.js'
import { Kbd } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Icon } from '../ui/Icon.js'
import {
  Archive, BookOpen, Box, Brain, CalendarClock, ChartNoAxesColumn, House, PanelLeft, Plus, Search, Settings2, SquarePen
} from '../ui/icons.js'
import { Link } from '../ui/Link.js'
import { lazy } from '../ui/lazy.js'
import { type LucideIcon } from '../ui/lucide.js'
import { isPhone } from '../ui/screen.js'
import { Skeleton } from '../ui/Skeleton.js'
import { words } from '../words/index.js'
import { FamilyRows } from './ChatRow.js'
import { InPlaceName } from './InPlaceName.js'
import { loadMenus, OpenMenus } from './OpenMenus.js'
import { palette } from './palette.js'
import { places } from './places.js'
import { ProjectRow } from './ProjectRow.js'
import { railFolded, toggleRail } from './rail-fold.js'
import { chosen, renaming } from './rail-state.js'
import { groupsNow } from './shown-groups.js'
import { unfolded } from './unfolded-rows.js'
import { useRowPointers } from './use-row-pointers.js'
import './rail.css'

const Selection = lazy(async () => (await import('./Selection.js')).Selection, { waiting: null })

/** The list of chats, and links to all other screens. `onPick` is called when the person has chosen one. */
export function Rail ({ onPick }: { onPick?: () => void }) {
  const w = words.value.shell
  const [path] = useLocation()
  const pointers = useRowPointers()
  useEffect(() => () => { chosen.value = new Set() }, [])
  return (
    <nav class='rail' aria-label={w.rail} onPointerEnter={loadMenus}>
      <div class='rail-brand'>
        <span class='rail-mark' aria-hidden='true' />
        <span class='rail-name'>{settings.botName}</span>
        {isPhone.value
          ? null
          : (
            <Button
              kind='quiet' class='rail-fold' icon={PanelLeft} label={railFolded.value ? w.unfoldRail : w.foldRail}
              aria-expanded={!railFolded.value} onClick={() => toggleRail()}
            />
            )}
      </div>
      <div class='rail-top' onClick={({ target }) => { if (isLink(target)) onPick?.() }}>
        <Place to={places.newChat} name={w.newChat} icon={SquarePen} isCurrent={path === places.newChat} keys='J' />
        <button type='button' class='rail-place' aria-label={nameIfFolded(w.searchOrDo)} onClick={() => { onPick?.(); palette.value = true }}>
          <Icon of={Search} /><span class='rail-place-name'>{w.searchOrDo}</span><Keys of='K' />
        </button>
        <Place to={places.start} name={w.home} icon={House} isCurrent={path === places.start} />
        <Place to={places.tasks} name={w.tasks} icon={CalendarClock} isCurrent={path.startsWith(places.tasks)} />
      </div>
      <div
        class='rail-list' data-kept={sessions.isKept.value || undefined} data-choosing={chosen.value.size > 0 || undefined} {...pointers}
        onClick={(event) => { if (!event.defaultPrevented && isLink(event.target)) onPick?.() }}
      >
        <Chats path={path} />
      </div>
      {isPhone.value ? null : <OpenMenus />}
      {chosen.value.size === 0 ? null : <Selection ids={[...chosen.value]} />}
      <div class='rail-foot' onClick={({ target }) => { if (isLink(target)) onPick?.() }}>
        <Place to={places.skills} name={w.skills} icon={BookOpen} isCurrent={path.startsWith(places.skills)} />
        <Place to={places.memory} name={w.memory} icon={Brain} isCurrent={path.startsWith(places.memory)} />
        <Place to={places.models} name={w.models} icon={Box} isCurrent={path.startsWith(places.models)} />
        <Place to={places.usage} name={w.usage} icon={ChartNoAxesColumn} isCurrent={path.startsWith(places.usage)} />
        <Place to={places.settings} name={w.settings} icon={Settings2} isCurrent={path.startsWith(places.settings)} />
      </div>
    </nav>
  )
}

const isLink = (target: EventTarget | null): boolean => target instanceof Element && target.closest('a') !== null

/** Returns the name if only the icon is shown. */
const nameIfFolded = (name: string): string | undefined => railFolded.value && !isPhone.value ? name : undefined

function Place ({ to, name, icon, isCurrent, keys }: { to: string, name: string, icon: LucideIcon, isCurrent: boolean, keys?: string }) {
  return (
    <Link href={to} class='rail-place' aria-label={nameIfFolded(name)} aria-current={isCurrent ? 'page' : undefined}>
      <Icon of={icon} /><span class='rail-place-name'>{name}</span>{keys === undefined ? null : <Keys of={keys} />}
    </Link>
  )
}

const Keys = ({ of: key }: { of: string }) =>
  <span class='rail-keys' aria-hidden='true'><Kbd>{controlKey}</Kbd><Kbd>{key}</Kbd></span>

/** Below this number of rows all are drawn: that is just as fast, and the browser's search finds them. */
const drawnAtOnce = 150

function Chats ({ path }: { path: string }) {
  const w = words.value.shell
  const open = unfolded.value
  const groups = useComputed(() => groupsNow())
  const isMaking = useSignal(false)
  isMaking.value = renaming.value?.of === 'new'
  if (!sessions.isKnown.value) return <div class='rail-note'><Skeleton lines={6} /></div>
  const projects = groups.value.filter((group) => group.kind === 'project')
  const [urgent, byDay] = [groups.value.filter(isUrgent), groups.value.filter((group) => !isUrgent(group) && group.kind !== 'project')]
  const hasChats = groups.value.some(({ families }) => families.length > 0)
  if (!hasChats && projects.length === 0) return <p class='rail-note'>{w.empty}</p>
  const rowsOf = (group: Group, level = 0): ComponentChildren[] => group.families.map((family) => {
    const { row: { session_id: id }, branches } = family
    const key = `branches ${id}`
    const holdsCurrent = branches.some((branch) => path === places.session(branch.session_id))
    return (
      <FamilyRows
        key={id} family={family} kind={group.kind} path={path} level={level} isOpen={open.has(key) || holdsCurrent}
        onToggle={() => unfolded.toggle(key)}
      />
    )
  })
  const entries: ComponentChildren[] = [
    ...urgent.flatMap((group) => [<Heading key={keyOfGroup(group)} group={group} />, ...rowsOf(group)]),
    <h2 class='rail-group' key='projects'>
      {w.projects}
      <Button
        kind='quiet' size='small' icon={Plus} label={w.newProject} class='rail-group-add'
        onClick={() => { renaming.value = { of: 'new', ids: [] } }}
      />
    </h2>,
    isMaking.value ? <div class='rail-entry' key='new project'><InPlaceName name='' /></div> : null,
    ...projects.flatMap((group) => {
      const isOpen = open.has(keyOfGroup(group)) || group.families.some(({ row, branches }) =>
        [row, ...branches].some(({ session_id: id }) => path === places.session(id)))
      return [
        <ProjectRow key={keyOfGroup(group)} group={group} isOpen={isOpen} onToggle={() => unfolded.toggle(keyOfGroup(group))} />,
        ...isOpen
          ? group.families.length === 0
            ? [<p class='rail-note rail-note-in' key={`${keyOfGroup(group)} empty`}>{w.emptyProject}</p>]
            : rowsOf(group, 1)
          : []
      ]
    }),
    ...byDay.flatMap((group) => [<Heading key={keyOfGroup(group)} group={group} />, ...rowsOf(group)]),
    sessions.hasMore.value
      ? <button type='button' key='more' class='rail-more' onClick={() => { void sessions.loadMore().catch(() => {}) }}>{w.loadMore}</button>
      : (
        <Link key='archive' href={`${places.settings}/archive`} class='rail-place rail-archive'>
          <Icon of={Archive} /><span class='rail-place-name'>{w.archivedChats}</span>
        </Link>
        )
  ]
  return <Entries entries={entries} />
}

/** Draws all entries if they are few, else those in view. */
function Entries ({ entries }: { entries: ComponentChildren[] }) {
  const isLong = entries.length >= drawnAtOnce
  const [List, setList] = useState<typeof VList | null>(null)
  useEffect(() => { if (isLong) void import('virtua').then(({ VList }) => setList(() => VList), () => {}) }, [isLong])
  // Until the code of the list is loaded, or if loading fails, the first entries are drawn.
  if (!isLong || List === null) return <div class='rail-scroll'>{entries.slice(0, drawnAtOnce)}</div>
  return <List class='rail-scroll' onScrollEnd={() => { void sessions.loadMore().catch(() => {}) }}>{entries}</List>
}

const isUrgent = ({ kind }: Group): boolean => kind === 'waiting' || kind === 'pinned'

function Heading ({ group }: { group: Group }) {
  const w = words.value.shell
  if (group.kind === 'project') return null
  return <h2 class='rail-group'>{group.kind === 'month' ? w.month(group.year, group.month) : w[group.kind]}</h2>
}
