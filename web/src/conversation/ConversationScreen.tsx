import { useComputed, useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { prompts, sessions, unread } from '../app.js'
import { ComposerView } from '../composer/ComposerView.js'
import { boxDialog } from '../composer/dialogs.js'
import { useFileDrop } from '../composer/files.js'
import { folderName, machineOf } from '../core/machines/location.js'
import { type Waiting } from '../core/conversation/prompts.js'
import { useDockMotion } from '../home/dock-motion.js'
import { StartBody } from '../home/StartBody.js'
import { StartBar, StartHead } from '../home/StartHead.js'
import { running } from '../home/store.js'
import { KeptMark } from '../offline/KeptMark.js'
import { PageHeader } from '../shell/Page.js'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { FolderButton, FolderChoice } from '../side/FolderButton.js'
import { openSide, sideTab } from '../side/open.js'
import { SideToggle } from '../side/SideToggle.js'
import { announce } from '../ui/Announcer.js'
import { Button } from '../ui/Button.js'
import { Unsent } from '../offline/Unsent.js'
import { ChevronDown, Ellipsis, Folder } from '../ui/icons.js'
import { idle } from '../ui/idle.js'
import { lazy } from '../ui/lazy.js'
import { MachineBadge } from '../ui/MachineBadge.js'
import { ErrorState } from '../ui/ErrorState.js'
import { isDesk, isPhone, isTouch } from '../ui/screen.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { chatDialog, menuAsked } from './chat-dialog.js'
import { giveBack, nextSession, openConversation, type OpenChat } from './open-chat.js'
import './screen.css'

/** The messages and the code that draws their text: more than half of the code of a chat, and nothing that the start page needs. */
const TranscriptView = lazy(async () => (await import('./TranscriptView.js')).TranscriptView, {
  waiting: <div class='conversation-wait'><Skeleton /></div>, isBrief: true
})
/** Loads the code for messages, before a chat is opened or what stands around them. Never rejects. */
const loadTranscript = async (): Promise<void> => { await TranscriptView.load().catch(() => {}) }
if (location.pathname.startsWith(places.session(''))) void loadTranscript().then(() => ChatMenu.load()).catch(() => {})
else void idle.then(loadTranscript)
/** Resolves once the messages of an opened chat had time to be painted, so that nothing is loaded and run before them. Never rejects. */
const messagesPainted = async (): Promise<void> => {
  await loadTranscript()
  // The list is measured in the first frame, and scrolled to its end in the second.
  for (let frames = 0; frames < 3; frames++) await new Promise((resolve) => requestAnimationFrame(resolve))
}

const ChatMenu = lazy(async () => (await import('./ChatMenu.js')).ChatMenu, {
  waiting: <MenuToCome />, missing: (retry) => <MenuToCome retry={retry} />, after: messagesPainted
})
const BranchLink = lazy(async () => (await import('./BranchLink.js')).BranchLink, {
  waiting: null, missing: () => null, isBrief: true, after: messagesPainted
})
const OtherProfile = lazy(async () => (await import('./OtherProfile.js')).OtherProfile, { waiting: null, isBrief: true })
const ReadOnlyNote = lazy(async () => (await import('./ReadOnlyNote.js')).ReadOnlyNote, {
  waiting: <p class='read-only'>&nbsp;</p>
})
const SideCards = lazy(async () => (await import('./SideCards.js')).SideCards, { waiting: null, isBrief: true })
const GoalLine = lazy(async () => (await import('./GoalLine.js')).GoalLine, { waiting: null })
const PlanLine = lazy(async () => (await import('../plan/PlanLine.js')).PlanLine, { waiting: null })
const TemporaryLine = lazy(async () => (await import('./TemporaryLine.js')).TemporaryLine, { waiting: null, missing: () => null })
const SilentLine = lazy(async () => (await import('../away/SilentLine.js')).SilentLine, {
  waiting: null, missing: () => null, isBrief: true
})
const OutlineDialog = lazy(async () => (await import('./OutlineDialog.js')).OutlineDialog, { waiting: null })
const WorktreeDialog = lazy(async () => (await import('./WorktreeDialog.js')).WorktreeDialog, { waiting: null })
const AwayLine = lazy(async () => (await import('../machines/AwayLine.js')).AwayLine, { waiting: null, missing: () => null })
const SidePanel = lazy(async () => (await import('../side/SidePanel.js')).SidePanel, { waiting: null })

/** Shows a chat, the start, or the page of a new chat, which keeps its state and focus when it becomes a chat. */
export function ConversationScreen ({ params: { id: encoded } }: { params: Record<string, string | undefined> }) {
  const id = encoded === undefined ? null : decodeURIComponent(encoded)
  const opened = useMemo(() => openConversation(id), [id])
  return <Chat key={opened.key} id={id} opened={opened} />
}

function Chat ({ id, opened }: { id: string | null, opened: OpenChat }) {
  const [path, go] = useLocation()
  const { conversation } = opened
  useEffect(() => conversation.listen((event) => {
    // The address is replaced, so that Back leads to the page before.
    if (event.type === 'created') go(places.session(event.sessionId), { replace: true })
    if (event.type === 'gone') {
      toast(words.peek().conversation.gone)
      go(places.start, { replace: true })
    }
    if (event.type === 'ended') announce(words.value.conversation.told[event.state])
  }), [conversation])
  // A screen reader announces that an answer begins and ends; its user decides when to hear the text.
  useSignalEffect(() => { if (conversation.running.value !== null) announce(words.peek().conversation.told.answering) })
  useSignalEffect(() => {
    const { value } = conversation.sessionId
    const row = value === null ? undefined : sessions.row(value)
    if (row !== undefined) conversation.syncRow(row)
    if (row?.last_message_at != null && document.visibilityState === 'visible') unread.seen(row.session_id, row.last_message_at)
  })
  const waiting = useComputed(() => conversation.sessionId.value === null ? [] : prompts.of(conversation.sessionId.value))
  useSignalEffect(() => conversation.setWaiting(waiting.value.length > 0))

  const session = conversation.session.value
  // A chat that is still loading has the title of its row; one that is not listed has none yet.
  const name = session?.title ?? (id === null ? '' : sessions.row(id)?.title ?? words.value.common.loading)
  const title = chatTitle(name)
  const silent = id === null ? null : running.value.get(id)?.silent ?? null
  const drop = useFileDrop(session?.read_only === true ? null : opened)
  const workspace = session?.workspace ?? nextSession.value.workspace
  const machine = workspace === undefined ? null : machineOf(workspace)
  const isHome = path === places.start
  const isStart = id === null && conversation.mode.value === 'idle' && conversation.transcript.exchanges.value.length === 0
  const page = useRef<HTMLElement>(null)
  useDockMotion(page, isStart)
  useEffect(() => { if (isStart && !isTouch.peek()) document.getElementById('message')?.focus() }, [isHome])
  return (
    <div class='conversation-row'>
      <div class='conversation-main'>
        {isStart
          ? <StartBar isHome={isHome} />
          : <ChatHeader id={id} opened={opened} workspace={workspace} title={title} />}
        {id === null
          ? <FolderChoice path={workspace} onChosen={(path) => { nextSession.value = { ...nextSession.peek(), workspace: path } }} />
          : null}
        <main
          class='conversation' aria-label={isHome && isStart ? words.value.shell.home : title} ref={page}
          data-start={isStart ? isHome ? 'home' : 'new' : undefined} {...drop}
        >
          {isStart ? <StartHead isHome={isHome} /> : <Body opened={opened} waiting={waiting.value} />}
          {id === null || session?.mode !== 'plan' ? null : <PlanLine sessionId={id} isOn isRunning={conversation.running.value !== null} />}
          {(id === null ? nextSession.value : session)?.temporary === true ? <TemporaryLine conversation={conversation} /> : null}
          {conversation.goal.value === null ? null : <GoalLine conversation={conversation} />}
          {silent === null || conversation.running.value === null ? null : <SilentLine conversation={conversation} silent={silent} />}
          {id === null ? null : <SideCards sessionId={id} conversation={conversation} />}
          {machine === null
            ? null
            : <AwayLine
                name={machine} isRunning={conversation.running.value !== null}
                onOtherFolder={session?.read_only === true ? null : () => { boxDialog.value = { kind: 'workspace' } }}
              />}
          <Unsent sessionId={id} onEdit={giveBack} />
          {session?.read_only === true
            ? <ReadOnlyNote session={session} onAttached={() => { void opened.conversation.reload() }} />
            : <ComposerView opened={opened} />}
          {isStart ? <StartBody isHome={isHome} opened={opened} /> : null}
        </main>
      </div>
      {chatDialog.value === 'worktree' && id !== null ? <WorktreeDialog conversation={conversation} id={id} /> : null}
      {chatDialog.value === 'outline' && id !== null ? <OutlineDialog opened={opened} id={id} /> : null}
      {id === null || sideTab.value === null ? null : <SidePanel key={id} sessionId={id} machine={machine} />}
    </div>
  )
}

/** The title of a chat with its menu, its folder, and the button of the side panel. */
function ChatHeader ({ id, opened: { conversation }, workspace, title }: {
  id: string | null
  opened: OpenChat
  workspace: string | undefined
  title: string
}) {
  const session = conversation.session.value
  const machine = workspace === undefined ? null : machineOf(workspace)
  const menu = session === null ? null : <ChatMenu conversation={conversation} session={session} />
  return (
    <PageHeader
      title={<bdi>{title}</bdi>}
      end={session === null
        ? null
        : (
          <span class='conversation-end'>
            {isPhone.value ? menu : null}
            {/* Beside an open panel it remains for the keyboard, and takes the focus when the panel closes. */}
            <span class={isDesk.value && sideTab.value !== null ? 'visually-hidden' : undefined}><SideToggle /></span>
          </span>
          )}
    >
      {isPhone.value ? null : menu}
      {id === null ? <FolderButton path={workspace} /> : null}
      {id === null || workspace === undefined || isPhone.value
        ? null
        : <FolderLink path={workspace} of={session?.worktree_repo_root ?? workspace} />}
      {id === null || machine === null ? null : <span class='conversation-machine'><MachineBadge name={machine} /></span>}
      {id === null || isPhone.value
        ? null
        : <BranchLink sessionId={id} isIdle={conversation.running.value === null} ownTree={session?.worktree_branch ?? null} />}
      {conversation.keptAtMs.value === null ? null : <KeptMark atMs={conversation.keptAtMs.value} />}
    </PageHeader>
  )
}

/** The placeholder of the chat menu, which opens once it is loaded. With `retry` it could not be loaded. */
function MenuToCome ({ retry }: { retry?: () => void }) {
  const ask = (): void => {
    menuAsked.value = location.pathname
    retry?.()
  }
  return (
    <Button
      kind='quiet' size='small' icon={isPhone.value ? Ellipsis : ChevronDown} label={words.value.conversation.menu}
      aria-haspopup='menu' aria-expanded={false} onClick={ask}
    />
  )
}

/** The folder of a chat; a click opens its files. `of`: the folder that names it, for a worktree its repository. */
function FolderLink ({ path, of }: { path: string, of: string }) {
  return (
    <Button
      kind='quiet' size='small' icon={Folder} class='conversation-folder' data-hint={path} onClick={() => openSide('files')}
    >
      <span class='visually-hidden'>{words.value.conversation.showFiles}: </span><bdi>{folderName(of)}</bdi>
    </Button>
  )
}

function Body ({ opened, waiting }: { opened: OpenChat, waiting: readonly Waiting[] }) {
  const { conversation } = opened
  const state = conversation.state.value
  if (state === 'loading') return <div class='conversation-wait'><Skeleton lines={5} /></div>
  if (state === 'failed') {
    const problem = conversation.problem.value
    return (
      <div class='conversation-wait'>
        <ErrorState error={problem ?? words.value.conversation.readFailed} onRetry={() => { void conversation.reload() }}>
          {problem?.code === 'session_profile_mismatch' ? <OtherProfile problem={problem} /> : null}
          {problem === null ? <Button onClick={() => location.reload()}>{words.value.offline.reload}</Button> : null}
        </ErrorState>
      </div>
    )
  }
  return <TranscriptView opened={opened} waiting={waiting} />
}
