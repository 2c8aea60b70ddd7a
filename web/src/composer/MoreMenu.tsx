import { nextSession, type Opened } from '../conversation/opened.js'
import { Camera, Ellipsis, FolderGit2, Goal, ListTodo, MessageCircleQuestionMark, Slash } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { words } from '../words/index.js'
import { boxDialog } from './dialogs.js'

/** Offers other ways to start from the box, each with a description. `onCamera`: null where no picture can be taken. */
export function MoreMenu ({ opened, onCommand, onCamera }: {
  opened: Opened
  onCommand: (name: string) => void
  onCamera: (() => void) | null
}) {
  const w = words.value.bar.more
  const isNew = opened.conversation.sessionId.value === null
  const hasWorktree = nextSession.value.worktree === true
  const command = (name: 'goal' | 'btw' | 'background') => ({ ...w[name], onPick: () => onCommand(name) })
  return (
    <Menu
      icon={Ellipsis} label={w.label} align='start'
      items={() => [
        ...(onCamera === null ? [] : [{ text: words.value.composer.camera, icon: Camera, onPick: onCamera }]),
        { ...command('goal'), icon: Goal },
        { ...command('btw'), icon: MessageCircleQuestionMark },
        { ...command('background'), icon: ListTodo },
        ...(isNew
          ? [
              {
                ...w.worktree, icon: FolderGit2, checked: hasWorktree,
                onPick: () => { nextSession.value = { ...nextSession.peek(), worktree: !hasWorktree } }
              }
            ]
          : []),
        'line' as const,
        { text: w.all, icon: Slash, onPick: () => { boxDialog.value = { kind: 'help' } } }
      ]}
    />
  )
}
