/** Options of programs for machines, containers and services that act on the same machine or service as without them; see Spelling. */

const containers = `-itdqP -epwuvlmh: --interactive --tty --detach --rm --name= --env= --publish= --publish-all --workdir= --user= --entrypoint= --volume= --mount=
  --network= --net= --pull= --platform= --init --label= --restart= --memory= --cpus= --shm-size= --read-only --tmpfs= --hostname= --ulimit= --expose=
  --quiet --stop-timeout= --log-driver= --pid= --ipc= --privileged? --cap-add= --cap-drop= --device= --security-opt= --userns= --uts= --volumes-from=
  --env-file= --gpus= --network-alias= --health-cmd= --no-healthcheck --annotation= --group-add=`
const compose = `-dqaVvsT -ptn: -f? --file= --project-name= --profile= --env-file= --project-directory= --detach --build --remove-orphans --follow --tail= --no-deps
  --force-recreate --no-recreate --no-color --volumes --services --all --quiet --wait --wait-timeout= --rmi= --timeout= --no-cache --pull? --progress=
  --timestamps --since= --until= --index= --format= --ansi= --scale= --no-start --no-build --stop --force --rm --images --status= --no-log-prefix
  --abort-on-container-exit --exit-code-from= --watch --renew-anon-volumes --version --help`
const containerGlobals = '-Dv -l: --debug --log-level= --version --help !-H: !--host= !-c: !--context= !--config= !--connection= !--root= !--runroot='
const terraform = `= -auto-approve -var: -var-file: -out: -input: -no-color -json -target: -destroy -upgrade -reconfigure -refresh-only -refresh: -lock: -lock-timeout:
  -compact-warnings -check -diff -recursive -write: -detailed-exitcode -parallelism: -raw -migrate-state -replace: -list`
const gh = `-dfwcv -sLaAlStbBHqrFmnuejp: --state= --limit= --assignee= --author= --label= --search= --title= --body= --base= --head= --json= --jq= --draft --fill --web
  --reviewer= --body-file= --milestone= --comments --squash --merge --rebase --delete-branch --auto --watch --name-only --patch --log --log-failed --job=
  --workflow= --branch= --user= --event= --status= --template= --verbose --public --private --description= --target= --notes= --notes-file=
  --generate-notes --latest --prerelease --exclude-drafts --add-label= --remove-label= --add-assignee= --add-reviewer= --reason= --comment= --approve
  --request-changes --exit-status --interval= --paginate --method= --field= --raw-field= --input= --required --pattern= --dir= --help`

const rclone = `-qvPncuILlihR -A:d: --quiet --verbose --progress --dry-run --checksum --update --ignore-times --ignore-existing --ignore-size --size-only --links
  --copy-links --fast-list --interactive --immutable --inplace --no-traverse --no-check-dest --create-empty-src-dirs --transfers= --checkers= --exclude=
  --include= --filter= --max-age= --min-age= --max-size= --min-size= --max-depth= --max-delete= --bwlimit= --tpslimit= --retries= --low-level-retries=
  --timeout= --contimeout= --stats= --stats-one-line --log-level= --buffer-size= --order-by= --max-transfer= --max-duration= --track-renames --metadata
  --use-mmap --human-readable --recursive --files-only --dirs-only --format= --separator= --csv --hash --one-way --combined= --download --json
  --delete-before --delete-during --delete-after --delete-excluded --ignore-errors --modify-window= --multi-thread-streams= --rmdirs --head= --tail= --version --help`

export const machineOptions: Readonly<Record<string, string | RegExp>> = {
  ...Object.fromEntries(['docker', 'podman'].flatMap((name): Array<[string, string]> => [[name, containerGlobals],
    [`${name} run`, containers], [`${name} create`, containers],
    [`${name} exec`, '-itd -ewu: --interactive --tty --detach --env= --workdir= --user= --privileged --env-file='],
    [`${name} compose`, compose],
    [
      `${name} build`,
      '-q -tf: --tag= --file= --no-cache --pull --progress= --target= --build-arg= --platform= --rm --quiet --load --label= --iidfile='
    ],
    [`${name} *`, `-aqnsfidvt --all --quiet --filter= --format= --no-trunc --follow --tail= --since= --until= --timestamps --last= --latest --size --no-stream --force --time= --signal=
      --tag= --detach --volumes --help --details --type= --link --driver= --subnet=`]])),
  'docker-compose': `${compose} -f:`,
  'docker-compose *': compose,
  kubectl: `-h -n: --namespace= --help !-s: !--server= @--context= !--cluster= !--kubeconfig= !--user= !--token= !--as= !--as-group= !--username= !--password=
    !--request-timeout= !--cache-dir= !--certificate-authority= !--tls-server-name= !--profile=`,
  'kubectl *': `-AwfRitkp -nolc: --all-namespaces --namespace= --output= --selector= --watch --show-labels --container= --tail= --since= --follow --previous --sort-by=
    --field-selector= --filename= --recursive --kustomize= --dry-run? --no-headers --timestamps --timeout= --all-containers? --limit= --for= --replicas=
    --to-revision= --force? --grace-period= --now --ignore-not-found --all --wait? --template= --prefix --cascade? --stdin --tty --record --overwrite --type=
    --image= --port= --from-literal= --from-file= --help`,
  terraform,
  'terraform *': terraform,
  tofu: terraform,
  'tofu *': terraform,
  systemctl: '-laqf -tnpo: --no-pager --full --all --failed --type= --state= --lines= --property= --output= --user --now --quiet --plain --no-legend --value --force --no-block --system ' +
    '--version --help !-H: !--host= !-M: !--machine= !--root=',
  'systemctl *': '-laqf -tnpo: --no-pager --full --all --failed --type= --state= --lines= --property= --output= --user --now --quiet --plain --no-legend --value --force --no-block --system',
  journalctl: '-xefrqakb -unpStogU: --unit= --no-pager --lines= --since= --until= --follow --priority= --boot? --output= --reverse --user --grep= --system --dmesg --quiet --user-unit= --identifier= --catalog --pager-end',
  helm: '-n: --namespace= --debug --version --help @--kube-context= !--kubeconfig= !--kube-apiserver= !--kube-token= !--kube-ca-file=',
  'helm *': `-Aaqi -fo: --values= --set= --set-string= --install --wait --timeout= --dry-run? --create-namespace --atomic --version= --output= --all-namespaces
    --all --short --reuse-values --reset-values --revision= --devel --cleanup-on-fail --history-max= --dependency-update --help`,
  gh: '@-R: @--repo= --version --help',
  'gh *': gh,
  'gh api': '-i -XfFHqtp: --method= --field= --raw-field= --header= --input= --jq= --template= --paginate --include --silent --slurp --cache= --preview= --help',
  openssl: '',
  'openssl *': `= -in: -out: -noout -text -subject -issuer -dates -enddate -startdate -fingerprint -sha1 -sha256 -sha384 -sha512 -md5 -pubkey -modulus -serial
    -checkend: -connect: -servername: -showcerts -inform: -outform: -nodes -noenc -newkey: -keyout: -days: -subj: -x509 -new -key: -pubin -pubout -aes-256-cbc
    -d -e -a -base64 -hex -salt -pbkdf2 -iter: -pass: -passin: -passout: -k: -K: -iv: -verify: -CAfile: -sign: -signature: -addext: -brief -help`,
  glab: '@-R: @--repo= --version --help',
  aws: '@--profile= --region= --output= --query= --no-cli-pager --no-paginate --debug --version --help !--endpoint-url= !--ca-bundle=',
  az: '-h -ogn: --output= --query= --resource-group= --name= --only-show-errors --verbose --debug --version --help @--subscription=',
  gcloud: '-q @--project= @--account= @--configuration= @--impersonate-service-account= --quiet --format= --filter= --limit= --verbosity= --version --help !--access-token-file= !--flags-file=',
  rclone,
  'rclone *': rclone,
  ip: '-46sdhobjcr -f: !-n: --family= !--netns=',
  hg: '-qvy -R: --quiet --verbose --noninteractive --repository= --cwd= --version --help !--config=',
  'hg *': '-qvGApub -mrlT: --message= --rev= --limit= --graph --patch --stat --template= --all --user= --branch= --update --git',
  svn: '-qv --quiet --verbose --version --help --non-interactive',
  'svn *': '-qvu -mlcr: --quiet --verbose --revision= --message= --limit= --stop-on-copy --show-updates --depth= --summarize --xml --force --parents --change= --non-interactive --recursive --ignore-externals'
}
