import { type ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { visible, visibleText } from '../core/files/paths.js'
import { type GitCommit } from '../core/files/repository.js'
import { type Resource } from '../core/service/resource.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { DiffView } from '../ui/DiffView.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { sentence } from './action.js'
import { previews } from './Documents.js'
import { sidesOfCommit } from './Pictures.js'
import { reviewing } from './Reviewing.js'
import { type SideModel } from './side-model.js'

/** Lists the latest commits of the branch with their changes, and the stashes. */
export function CommitLog ({ model }: { model: SideModel }) {
  const w = screenWords.value.files.changes
  return (
    <div class='changes-more'>
      <Disclosure summary={w.commits}>{() => <Commits model={model} />}</Disclosure>
      <Disclosure summary={w.stashes}>{() => <Stashes model={model} />}</Disclosure>
    </div>
  )
}

function useRead<Value> (resource: Resource<Value>): { value: Value | undefined, instead: ComponentChildren } {
  useEffect(() => { void resource.refresh() }, [resource])
  const value = resource.value.value
  const error = resource.error.value
  const instead = value !== undefined
    ? null
    : error === null ? <Skeleton /> : <ErrorState error={sentence(error)} onRetry={() => { void resource.refresh() }} />
  return { value, instead }
}

function Commits ({ model }: { model: SideModel }) {
  const { repository } = model
  const { value, instead } = useRead(repository.log)
  const w = screenWords.value.files.changes
  if (value === undefined) return <>{instead}</>
  if (value.commits.length === 0) return <p class='side-note'>{w.noCommits}</p>
  return (
    <>
      <ul class='side-records'>
        {value.commits.map((commit) => (
          <li key={commit.sha}>
            <Disclosure class='commit' summary={<CommitLine commit={commit} />}>
              {() => <CommitDetail model={model} sha={commit.sha} read={async () => await repository.show(commit.sha)} />}
            </Disclosure>
          </li>
        ))}
      </ul>
      {value.hasMore && <Button kind='quiet' onClick={() => { void repository.moreCommits() }}>{w.earlier}</Button>}
    </>
  )
}

function CommitLine ({ commit: { sha, author, subject, committed_at: atS, refs } }: { commit: GitCommit }) {
  return (
    <span class='side-grow'>
      <bdi class='side-lead'>{visible(subject)}</bdi>
      <span class='side-muted'>
        <code>{sha.slice(0, 7)}</code> · <bdi>{visible(author)}</bdi> · {times.at(atS)} {refs.map((ref) => (
          <Badge key={ref}>{visible(ref)}</Badge>
        ))}
      </span>
    </span>
  )
}

function CommitDetail ({ model, sha, read }: { model: SideModel, sha: string, read: () => Promise<Wire<'GitShowAnswer'>> }) {
  const [shown, setShown] = useState<Wire<'GitShowAnswer'> | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => { read().then(setShown, (error: unknown) => setProblem(sentence(error))) }, [sha])
  const w = screenWords.value.files.changes
  if (problem !== null) return <p class='side-problem' role='alert'>{problem}</p>
  if (shown === null) return <Skeleton />
  const { commit, files, diff, too_large: isTooLarge, truncated } = shown
  return (
    <div class='commit-detail'>
      {commit.body.trim() !== '' && <p class='preview-prose'>{visibleText(commit.body.trim())}</p>}
      <p class='side-muted'>{w.countFiles(files.length)}{truncated ? ' …' : ''}</p>
      {isTooLarge
        ? <p class='side-note'>{w.tooLarge}</p>
        : diff !== '' && (
          <DiffView
            diff={diff} truncated={truncated} {...reviewing(model)} {...previews(model, sidesOfCommit(model, commit.sha), { isPast: true })}
          />
        )}
    </div>
  )
}

function Stashes ({ model: { repository } }: { model: SideModel }) {
  const { value, instead } = useRead(repository.stashes)
  if (value === undefined) return <>{instead}</>
  if (value.length === 0) return <p class='side-note'>{screenWords.value.files.changes.noStashes}</p>
  return (
    <ul class='side-records'>
      {value.map(({ ref, sha, message, created_at: atS }) => (
        <li key={sha} class='side-record'>
          <span class='side-grow'>
            <bdi class='side-lead'>{visible(message)}</bdi>
            <span class='side-muted'>{visible(ref)} · {times.at(atS)}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}
