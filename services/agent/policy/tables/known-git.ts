/** Options of git that run nothing, contact no other host and read no settings but those of the repository; see Spelling. */

const diff = '-puszRarbwDWtc -U:l:S:G:I:O: -XBMC? --patch --no-patch --unified= --output-indicator-new= --output-indicator-old= ' +
  '--output-indicator-context= --raw --patch-with-raw --indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= ' +
  '--stat? --stat-width= --stat-name-width= --stat-graph-width= --stat-count= --compact-summary --numstat --shortstat --dirstat? --cumulative ' +
  '--dirstat-by-file? --summary --patch-with-stat --name-only --name-status --submodule? --color? --color-moved? --color-moved-ws= --word-diff? ' +
  '--word-diff-regex= --color-words? --no-renames --rename-empty --check --ws-error-highlight= --full-index --binary --abbrev? ' +
  '--break-rewrites? --find-renames? --find-copies? --find-copies-harder --irreversible-delete --diff-filter= --find-object= --pickaxe-all ' +
  '--pickaxe-regex --skip-to= --rotate-to= --relative? --text --ignore-cr-at-eol --ignore-space-at-eol --ignore-space-change --ignore-all-space ' +
  '--ignore-blank-lines --ignore-matching-lines= --inter-hunk-context= --function-context --exit-code --quiet --no-ext-diff --no-textconv ' +
  '--ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index --ita-visible-in-index ' +
  '--cc --cached --staged --merge-base --base --ours --theirs --no-index --combined-all-paths'
const revisions = '-n:iEFPgm -L: --max-count= --skip= --since= --after= --since-as-filter= --until= --before= --author= --committer= --grep-reflog= ' +
  '--grep= --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --remove-empty --merges ' +
  '--no-merges --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --all --branches? ' +
  '--tags? --remotes? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --bisect --stdin ' +
  '--cherry-mark --cherry-pick --left-only --right-only --cherry --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls ' +
  '--full-history --dense --sparse --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk ' +
  '--pretty? --format= --abbrev-commit --oneline --encoding= --expand-tabs? --notes? --show-notes? --standard-notes --show-signature ' +
  '--relative-date --date= --parents --children --left-right --graph --show-linear-break? --count --follow --decorate? --decorate-refs= ' +
  '--decorate-refs-exclude= --clear-decorations --source --mailmap --use-mailmap --full-diff --log-size --diff-merges= --remerge-diff ' +
  '--timestamp --header --objects --disk-usage? --quiet --max-age= --min-age='
const log = `${diff} ${revisions}`
const paths = '--pathspec-from-file= --pathspec-file-nul'
const merging = '-nesvq -X: -S? -m: --commit --edit --cleanup= --ff --ff-only --rerere-autoupdate --strategy= --strategy-option= --gpg-sign? ' +
  '--signoff --continue --abort --skip --quit --allow-empty --no-verify --verbose --quiet --autostash'
const getting = '-vqaftnpPkm46 -jo: --verbose --quiet --all --append --atomic --depth= --deepen= --shallow-since= --shallow-exclude= --unshallow ' +
  '--update-shallow --negotiation-tip= --negotiate-only --dry-run --porcelain --force --keep --prune --prune-tags --tags --refmap= --jobs= ' +
  '--set-upstream --progress --server-option= --show-forced-updates --ipv4 --ipv6 --no-recurse-submodules --multiple --refetch --write-fetch-head ' +
  '--auto-maintenance --auto-gc --write-commit-graph --filter= --update-head-ok --stdin'

export const gitOptions: Readonly<Record<string, string>> = {
  git: '-Pvhp -C: !-c: --version --help --no-pager --paginate --work-tree= !--git-dir= --namespace= !--config-env= !--exec-path? !--super-prefix= !--attr-source= !--shallow-file= ' +
    '--no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice --no-lazy-fetch ' +
    '--html-path --man-path --info-path',
  'git *': '-qv --quiet --verbose --help',
  'git add': `-nvipefuNA --dry-run --verbose --interactive --patch --edit --force --update --renormalize --intent-to-add --all --ignore-removal --refresh
    --ignore-errors --ignore-missing --sparse --chmod= ${paths}`,
  'git am': `-i3qsukc -pC: -S? --interactive --3way --quiet --signoff --utf8 --keep --keep-non-patch --message-id --keep-cr --scissors --quoted-cr=
    --whitespace= --ignore-space-change --ignore-whitespace --directory= --exclude= --include= --patch-format= --reject --continue --resolved
    --skip --abort --quit --show-current-patch? --allow-empty --committer-date-is-author-date --ignore-date --rerere-autoupdate --empty=`,
  'git apply': `-N3RzvqC: -p: --exclude= --include= --no-add --stat --numstat --summary --check --index --intent-to-add --cached --apply --3way
    --whitespace= --ignore-space-change --ignore-whitespace --reverse --unidiff-zero --reject --allow-overlap --verbose --quiet --inaccurate-eof
    --recount --directory= --allow-empty`,
  'git archive': '-vl0123456789 -o: --format= --prefix= --add-file= --output= --worktree-attributes --verbose --list',
  'git bisect': '--term-new= --term-old= --term-good= --term-bad= --no-checkout --first-parent',
  'git blame': `-bfnpctlsewk -SL: -CM? --incremental --root --show-stats --progress --score-debug --show-name --show-number --porcelain
    --line-porcelain --show-email --ignore-rev= --ignore-revs-file= --color-lines --color-by-age --minimal --contents= --abbrev? --date= --reverse
    --first-parent --since=`,
  'git branch': `-vqradDmMcClfi -u: -t? --verbose --quiet --track? --set-upstream-to= --unset-upstream --color? --remotes --contains? --no-contains?
    --abbrev? --all --delete --move --copy --list --show-current --create-reflog --edit-description --force --merged? --no-merged? --column? --sort=
    --points-at= --ignore-case --recurse-submodules --format= --omit-empty`,
  'git cat-file': '-etsp --allow-unknown-type --use-mailmap --mailmap --batch? --batch-check? --batch-all-objects --buffer --follow-symlinks --unordered',
  'git check-ignore': '-qvzn --quiet --verbose --stdin --non-matching --no-index',
  'git checkout': `-lqmdf23p -bB: -t? --guess --overlay --quiet --recurse-submodules? --progress --merge --conflict= --detach --track? --force
    --orphan= --overwrite-ignore --ignore-other-worktrees --ours --theirs --patch --ignore-skip-worktree-bits ${paths}`,
  'git checkout-index': '-qfanuz --quiet --force --all --no-create --index --prefix= --stage= --temp --stdin',
  'git cherry-pick': `${merging} -x --mainline= --no-commit --allow-empty-message --keep-redundant-commits --empty=`,
  'git clean': '-qnfidxX -e: --quiet --dry-run --force --interactive --exclude=',
  'git clone': `-vqnls46 -job: --verbose --quiet --progress --reject-shallow --no-checkout --bare --mirror --local --no-hardlinks --shared --jobs=
    --reference= --reference-if-able= --dissociate --origin= --branch= --depth= --shallow-since= --shallow-exclude= --single-branch --tags
    --server-option= --ipv4 --ipv6 --filter= --sparse --recurse-submodules? --recursive? --shallow-submodules !-c: !-u: !--config= !--upload-pack= !--template=`,
  'git commit': `-qvseaiponz -FmcCt: -Su? --quiet --verbose --file= --author= --date= --message= --reedit-message= --reuse-message= --fixup= --squash=
    --reset-author --trailer= --signoff --template= --edit --cleanup= --status --gpg-sign? --all --include --interactive --patch --only --no-verify
    --dry-run --short --branch --ahead-behind --porcelain --long --null --amend --no-post-rewrite --untracked-files? --allow-empty
    --allow-empty-message ${paths}`,
  'git config': `-lz -ft: --global --system --local --worktree --file= --blob= --get --get-all --get-regexp --get-urlmatch --replace-all --add --unset
    --unset-all --rename-section --remove-section --list --fixed-value --get-color --get-colorbool --type= --bool --int --bool-or-int --path
    --expiry-date --null --name-only --includes --show-origin --show-scope --default= --all --regexp --value=`,
  'git count-objects': '-vH --verbose --human-readable',
  'git describe': `--contains --debug --all --tags --long --first-parent --abbrev? --exact-match --candidates= --match= --exclude= --always --dirty?
    --broken?`,
  'git diff': diff,
  'git diff-files': diff,
  'git diff-index': `${diff} -m`,
  'git diff-tree': `${diff} -m --root --stdin --no-commit-id --pretty? --format= --always`,
  'git difftool': '-yd --prompt --dir-diff --cached --staged',
  'git fetch': getting,
  'git filter-branch': '-fd: --force --original= --prune-empty',
  'git for-each-ref': `--count= --format= --color? --sort= --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --exclude=
    --omit-empty --stdin`,
  'git fsck': `-v --verbose --unreachable --dangling --tags --root --cache --reflogs --full --connectivity-only --strict --lost-found --progress
    --name-objects`,
  'git gc': '-q --quiet --prune? --cruft --aggressive --auto --force --keep-largest-pack --detach',
  'git grep': `-viwaIrEGFPnhHlLzocpWqr -CBAem: -f: --cached --no-index --untracked --exclude-standard --recurse-submodules --invert-match --ignore-case
    --word-regexp --text --recursive --max-depth= --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --full-name
    --files-with-matches --name-only --files-without-match --null --only-matching --count --color? --break --heading --context= --before-context=
    --after-context= --threads= --show-function --function-context --and --or --not --quiet --all-match --max-count=`,
  'git hash-object': '-w -t: --stdin --stdin-paths --no-filters --literally --path=',
  'git init': '-q -b: --bare --shared? --quiet --initial-branch= --object-format=',
  'git log': log,
  'git ls-files': `-ztvfcdmoisku -xX: --cached --deleted --modified --others --ignored --stage --killed --directory --eol --empty-directory --unmerged
    --resolve-undo --exclude= --exclude-from= --exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch
    --with-tree= --abbrev? --debug --deduplicate --sparse --format=`,
  'git ls-remote': '-qth -o: --quiet --tags --heads --branches --refs --get-url --sort= --exit-code --symref --server-option=',
  'git ls-tree': '-drtzl --long --name-only --name-status --object-only --full-name --full-tree --format= --abbrev?',
  'git merge': `${merging} -F: --stat --summary --log? --squash --verify-signatures --message= --file= --into-name= --allow-unrelated-histories
    --progress --overwrite-ignore`,
  'git merge-base': '-a --all --octopus --independent --is-ancestor --fork-point',
  'git mv': '-vnfk --verbose --dry-run --force --sparse',
  'git name-rev': '--name-only --tags --refs= --exclude= --all --annotate-stdin --undefined --always',
  'git notes': '--ref= -fmFcC: --force --message= --file= --reuse-message= --allow-empty',
  'git prune': '-nv --dry-run --verbose --progress --expire= --exclude-promisor-objects',
  'git pull': `${getting} ${merging} -r? --rebase? --stat --log? --squash --verify --verify-signatures --allow-unrelated-histories`,
  'git push': `-vqdnfu46 -o: --verbose --quiet --all --branches --mirror --delete --tags --dry-run --porcelain --force --force-with-lease?
    --force-if-includes --thin --set-upstream --progress --prune --no-verify --follow-tags --signed? --atomic --push-option= --ipv4 --ipv6
    --no-recurse-submodules`,
  'git range-diff': `${diff} --creation-factor= --no-dual-color --notes? --left-only --right-only`,
  'git read-tree': '-vmuin --verbose --trivial --aggressive --reset --prefix= --dry-run --empty --quiet',
  'git rebase': `-qvnfmir -CsX: -S? --onto= --keep-base --no-verify --quiet --verbose --no-stat --signoff --committer-date-is-author-date
    --reset-author-date --ignore-whitespace --whitespace= --force-rebase --no-ff --continue --skip --abort --quit --edit-todo --show-current-patch
    --apply --merge --interactive --rerere-autoupdate --empty= --autosquash --update-refs --gpg-sign? --autostash --rebase-merges? --fork-point
    --strategy= --strategy-option= --root --reapply-cherry-picks`,
  'git reflog': `${log} --expire= --expire-unreachable= --updateref --rewrite --stale-fix --dry-run --verbose`,
  'git remote': '-vtmfpn --verbose --tags --mirror? --prune --push --add --delete --all --auto --dry-run --get-url',
  'git reset': `-qpN --quiet --refresh --mixed --soft --hard --merge --keep --recurse-submodules? --patch --intent-to-add ${paths}`,
  'git restore': `-SWqm23p -s: --source= --staged --worktree --ignore-unmerged --overlay --quiet --recurse-submodules? --progress --merge --conflict=
    --ours --theirs --patch --ignore-skip-worktree-bits ${paths}`,
  'git rev-list': log,
  'git rev-parse': `-q: --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --glob= --exclude=
    --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --git-path= --is-inside-work-tree --is-inside-git-dir
    --is-bare-repository --is-shallow-repository --show-superproject-working-tree --path-format= --since= --until= --not --revs-only --no-revs
    --flags --no-flags --default= --prefix= --show-object-format? --show-ref-format --local-env-vars --disambiguate= --sq --sq-quote`,
  'git revert': `${merging} --mainline= --no-commit --reference`,
  'git rm': `-nqfr --dry-run --quiet --cached --force --ignore-unmatch --sparse ${paths}`,
  'git shortlog': `-cnse -w? --committer --numbered --summary --email --group= ${revisions}`,
  'git show': log,
  'git show-branch': '-ar -g? --all --remotes --color? --more? --list --no-name --current --sha1-name --merge-base --independent --topo-order --reflog?',
  'git show-ref': '-dq -s? --tags --heads --branches --verify --head --dereference --hash? --abbrev? --quiet --exists',
  'git sparse-checkout': '--cone --no-cone --sparse-index --stdin --skip-checks',
  'git stash': `${diff} -kqaSum: --message= --include-untracked --only-untracked --all --keep-index --index --staged --quiet --oneline ${paths}`,
  'git status': `-vsbz -uM? --verbose --short --branch --show-stash --ahead-behind --porcelain? --long --null --untracked-files? --ignored?
    --ignore-submodules? --column? --no-renames --find-renames?`,
  'git submodule': `-qfNb: -j: --quiet --cached --init --remote --force --merge --rebase --checkout --no-fetch --depth= --jobs= --recommend-shallow
    --single-branch --name= --branch= --recursive --all --files --summary-limit= --default --progress`,
  'git switch': `-qmdf -cC: -t? --create= --force-create= --guess --discard-changes --quiet --recurse-submodules? --progress --merge --conflict= --detach
    --track? --force --orphan= --overwrite-ignore --ignore-other-worktrees`,
  'git symbolic-ref': '-qd -m: --quiet --delete --short --recurse',
  'git tag': `-ldvaesfi -mFu: -n? --list --delete --verify --annotate --message= --file= --edit --sign --cleanup= --local-user= --force --create-reflog
    --column? --contains? --no-contains? --merged? --no-merged? --sort= --points-at= --format= --color? --ignore-case --omit-empty --trailer=`,
  'git update-index': '-qzg --add --replace --remove --refresh --really-refresh --cacheinfo --chmod= --assume-unchanged --skip-worktree --force-remove --stdin',
  'git update-ref': '-dz -m: --deref --stdin --create-reflog',
  'git worktree': `-fdvqz -bB: --force --detach --checkout --lock --reason= --orphan --porcelain --verbose --expire= --dry-run --guess-remote --track
    --quiet`
}
