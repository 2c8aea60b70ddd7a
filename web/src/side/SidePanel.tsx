import { effect } from '@preact/signals'
import { type ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { PanelRight, X } from '../ui/icons.js'
import { remembered } from '../ui/remembered.js'
import { lazy } from '../ui/lazy.js'
import { inType, inTypePx, isDesk, isPhone } from '../ui/screen.js'
import { Splitter } from '../ui/Splitter.js'
import { Tabs } from '../ui/Tabs.js'
import { useLayer } from '../ui/use-layer.js'
import { screenWords, words } from '../words/index.js'
import { ChangesTab } from './ChangesTab.js'
import { CheckpointsTab } from './CheckpointsTab.js'
import { FilesTab } from './FilesTab.js'
import { closeSide, openSide, sideTab, type SideTab } from './open.js'
import { PreviewTab } from './PreviewTab.js'
import { sideOf, type SideModel } from './side-model.js'
import { filesWrittenIn } from './written-files.js'
import './side.css'

const AwayFolder = lazy(async () => (await import('../machines/AwayFolder.js')).AwayFolder)
const ChecksTab = lazy(async () => (await import('../checks/ChecksTab.js')).ChecksTab)
const PlanTab = lazy(async () => (await import('../plan/PlanTab.js')).PlanTab)

const usual = 404
const least = 320
const mostShare = 0.6
// The stored width is for the default type size, so that it grows with the reader's.
const width = remembered('side-width', usual)
const mostOf = (): number => Math.max(least, Math.round(innerWidth * mostShare / inTypePx(1)))

/** `machine`: the other machine on which the session's folder is; null for none. */
interface PanelProps { sessionId: string, machine: string | null }

/**
 * The panel of a session's folder; put it last in the row of the conversation. It is beside the conversation if the window is wide enough,
 * else over the page; on phones it is a page of its own.
 */
export function SidePanel ({ sessionId, machine }: PanelProps) {
  if (sideTab.value === null) return null
  const w = words.value.shell
  const views = <SideViews sessionId={sessionId} machine={machine} />
  if (isDesk.value) return <BesidePanel>{views}</BesidePanel>
  return (
    <Dialog open title={w.side} onClose={closeSide} bare class='side-over' {...isPhone.value ? { size: 'full' } : { from: 'end' }}>
      {views}
    </Dialog>
  )
}

function BesidePanel ({ children }: { children: ComponentChildren }) {
  const panel = useRef<HTMLElement>(null)
  useLayer(closeSide, { entry: false })
  // If the focus was in the panel, it returns to the button that opens the panel, which is redrawn now.
  useLayoutEffect(
    () => () => {
      if (panel.current?.contains(document.activeElement) !== true) return
      requestAnimationFrame(() => document.querySelector<HTMLElement>('.side-toggle')?.focus())
    },
    []
  )
  return (
    <aside ref={panel} class='side' aria-label={words.value.shell.side} style={{ inlineSize: inType(Math.min(width.value, mostOf())) }}>
      <Splitter width={width} min={least} max={mostOf} panel='after' panelRef={panel} usual={usual} />
      {children}
    </aside>
  )
}

function SideViews ({ sessionId, machine }: PanelProps) {
  const model = sideOf(sessionId)
  useEffect(() => effect(() => { model.written.value = filesWrittenIn(model.sessionId) }), [model])
  useEffect(() => model.attend(), [model])
  const { plan } = model
  const hasPlan = plan.document.value !== null || plan.edit.value !== null || model.row?.mode === 'plan'
  const wanted = sideTab.value ?? 'files'
  // The tab is remembered from chat to chat, and not every chat has a plan.
  const chosen = wanted === 'plan' && !hasPlan && plan.isKnown.value ? 'files' : wanted
  const { tabs } = screenWords.value.files
  const changes = model.repository.status.value?.totals.changed ?? 0
  return (
    <Tabs<SideTab>
      class='side-tabs' label={words.value.shell.side} chosen={chosen} onChoose={(tab) => openSide(tab)}
      tabs={[
        { key: 'files', text: tabs.files }, { key: 'changes', text: tabs.changes, count: changes },
        { key: 'checks', text: tabs.checks }, { key: 'preview', text: tabs.preview }, { key: 'checkpoints', text: tabs.checkpoints },
        ...hasPlan || chosen === 'plan' ? [{ key: 'plan' as const, text: tabs.plan }] : []
      ]}
      after={(
        <Button
          kind='quiet' icon={isDesk.value ? PanelRight : X} label={words.value.shell.closeSide} class='side-close' onClick={closeSide}
        />
      )}
    >
      <View key={`${sessionId} ${chosen}`} tab={chosen} model={model} machine={machine} />
    </Tabs>
  )
}

interface ViewProps { model: SideModel, machine: string | null }

/** A tab's view. All but the plan, which the service stores, need the folder. */
function View ({ tab, ...props }: ViewProps & { tab: SideTab }) {
  const { model } = props
  if (tab === 'plan') return <PlanTab model={model} />
  const Tab = { files: FilesTab, changes: ChangesTab, checks: ChecksTab, preview: PreviewTab, checkpoints: CheckpointsTab }[tab]
  return <FolderThere {...props}><Tab model={model} /></FolderThere>
}

/** Shows a view that needs the folder; while the machine of the folder is absent, that in its place. */
function FolderThere ({ model, machine, children }: ViewProps & { children: ComponentChildren }) {
  if (machine === null) return <>{children}</>
  return <AwayFolder name={machine} failed={model.folder.error.value} onBack={() => { void model.changed() }}>{children}</AwayFolder>
}
