import { get } from './api.js'
import { ask } from './dialogs.js'
import { el } from './dom.js'
import { foldedList } from './folded-list.js'
import { visible } from './names.js'

/**
 * The branch that is checked out, how it stands to the remote one, and the others to switch to.
 * @param {object} options
 * @param {(words: string, path: string, body?: object, options?: { expected?: string }) => Promise<any>} options.act
 *   resolves with null when it was not done, with `{ refused }` when it was not for the reason that was expected
 * @param {(text: string) => void} options.onSaid
 * @param {() => void} options.onMoved other files lie in the folder now
 */
export function createBranches ({ act, onSaid, onMoved }) {
  const name = el('bdi', { class: 'branch' })
  const distance = el('span', { class: 'small' })
  const remote = ['Fetch', 'Pull', 'Push'].map((label) => el('button', { type: 'button', class: 'quiet', onclick: () => talk(label) }, label))
  const others = foldedList({ title: 'Branches', fetch: fetchAll, none: 'No branches yet.' })
  const newName = el('input', { type: 'text', placeholder: 'Name of a new branch', 'aria-label': 'Name of a new branch', maxLength: 200, autocomplete: 'off', autocapitalize: 'none' })
  others.element.append(el('form', { class: 'reply', onsubmit: create }, newName, el('button', { type: 'submit', class: 'quiet' }, 'Create')))
  const element = el('div', { class: 'branches' },
    el('div', { class: 'where' }, el('span', { class: 'icon fork', 'aria-hidden': 'true' }), name, distance, el('span', { class: 'deeds' }, ...remote)),
    others.element)
  let sessionId = null
  let current = ''
  let isClean = false

  async function talk (label) {
    const answer = await act(`${{ Fetch: 'Fetching', Pull: 'Pulling', Push: 'Pushing' }[label]} …`, `/api/git/${label.toLowerCase()}`)
    if (answer === null) return
    others.refresh()
    onSaid(answer.message)
    if (label === 'Pull') onMoved()
  }

  async function fetchAll () {
    const { branches } = await get('/api/git/branches', { session_id: sessionId })
    const { local, remote: far } = branches
    return [
      ...local.map((branch) => item(branch, 'local', branch.name === branches.current && !branches.detached)),
      ...far.filter(({ name: full }) => !full.endsWith('/HEAD')).map((branch) => item(branch, 'remote', false))
    ]
  }

  function item ({ name: full, subject, updated_relative: ago, ahead, behind }, mode, isCurrent) {
    const shown = visible(full)
    return el('li', {},
      el('p', { class: 'lead' }, el('bdi', {}, shown), isCurrent ? el('span', { class: 'small' }, ' · checked out') : null),
      el('p', { class: 'small' }, [visible(subject), ago, distanceOf(ahead, behind)].filter((part) => part !== '').join(' · ')),
      isCurrent ? null : el('div', { class: 'tools' }, el('button', { type: 'button', class: 'quiet', 'aria-label': `Switch to ${shown}`, onclick: () => go({ ref: full, mode }) }, 'Switch')))
  }

  function create (event) {
    event.preventDefault()
    const wanted = newName.value.trim()
    if (wanted !== '') go({ ref: current, mode: 'new', new_branch: wanted })
  }

  async function go (target) {
    const shown = visible(target.new_branch ?? target.ref)
    const words = `Switching to ${shown} …`
    // With nothing to put aside, this one still brings back what was put aside on the branch before.
    const isReturn = isClean && target.mode === 'local'
    let answer = isReturn
      ? await act(words, '/api/git/stash-checkout', target)
      : await act(words, '/api/git/checkout', { ...target, dirty_mode: 'block' }, { expected: 'dirty_worktree' })
    if (answer?.refused !== undefined) {
      const isWanted = await ask({ title: 'There are changes that are not committed', text: `They can be put aside (stashed) while you are on ${shown}, and come back when you return.`, confirm: 'Stash and switch' })
      if (isWanted === null) return
      answer = await act(words, '/api/git/stash-checkout', target)
    }
    if (answer === null) return
    newName.value = ''
    onSaid(outcome(answer))
    others.refresh()
    onMoved()
  }

  return {
    element,
    refresh: others.refresh,
    /** @param {{ branch: string, detached: boolean, upstream: string | null, ahead: number, behind: number, totals: { changed: number } }} status */
    show ({ branch, detached, upstream, ahead, behind, totals }) {
      current = branch
      isClean = totals.changed === 0
      name.textContent = detached ? `${visible(current)} (no branch)` : visible(current)
      distance.textContent = upstream === null ? 'not on a remote' : distanceOf(ahead, behind) || 'up to date'
      distance.title = upstream === null ? '' : `compared with ${visible(upstream)}`
    },
    /** @param {string | null} id another session */
    reset (id) {
      sessionId = id
      others.reset()
      newName.value = ''
      name.textContent = ''
      distance.textContent = ''
    }
  }
}

function distanceOf (ahead, behind) {
  return [...(ahead > 0 ? [`${ahead} ahead`] : []), ...(behind > 0 ? [`${behind} behind`] : [])].join(', ')
}

function outcome ({ message, current_branch: branch, stashed, restored_stash: restored, restore_failed: isFailed, restore_error: failure }) {
  return [
    message || `On ${visible(branch)} now.`,
    stashed === true ? 'The changes are put aside.' : '',
    restored ? 'What was put aside here is back.' : '',
    isFailed === true ? `What was put aside here could not be brought back and is kept: ${failure ?? ''}` : ''
  ].filter((part) => part !== '').join(' ')
}
