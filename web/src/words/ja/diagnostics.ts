import { type Words } from '../en/index.js'
import { spansIn } from '../spans.js'

const long = spansIn('ja')

const titles: Words['diagnostics']['titles'] = {
  reach: 'イベントストリーム', encryption: '暗号化', buffering: 'バッファリング', compression: '圧縮', timeout: '接続の維持',
  ids: '再開', scheme: 'プロトコル', host: 'ホスト名', address: 'クライアントのアドレス', cookies: 'Cookie', upload: 'アップロード', clock: '時計'
}

const verdicts: Words['diagnostics']['verdicts'] = {
  reached: () => 'イベントストリームが届いています。',
  unreachable: (code) => `このアドレスではサービスに接続できません${code === '' ? '' : `（${code}）`}。`,
  refused: (status) => `イベントストリームはステータス ${status} で拒否されました。`,
  noStream: (type) => `サービスではない何かが応答しました（${type || 'タイプなし'}）。`,
  encrypted: () => '接続は暗号化されています。',
  local: () => '接続はこのマシンの中で完結しています。',
  plain: () => '接続が暗号化されていません。パスワードやチャットが途中で読まれるおそれがあります。ブラウザーの通知、パスキー、マイクは使えません。',
  delivered: () => '回答は書かれながら届いています。',
  buffered: (seconds) => `プロキシが回答をためています（ここでは ${long(seconds)}）。回答はまとめて、または一度に表示されます。`,
  undelivered: () => 'プロキシは、イベントストリームが終わるまで何も届けません。',
  uncompressed: () => 'イベントストリームは圧縮されていません。',
  compressed: (encoding) => `プロキシがイベントストリームを圧縮し（${encoding}）、回答が遅れています。`,
  stayedOpen: (seconds) => `ストリームは ${long(seconds)}間開いたままでした。`,
  wasCut: (seconds) => `サービスは 5 秒ごとに何かを送っていますが、ストリームは ${long(seconds)}で切断されました。`,
  idsKept: () => '切断されたストリームは、止まったところから続きます。',
  idsLost: () => 'プロキシがイベントストリームを変更しています。フレームの id がないため、ストリームは最初からになります。',
  lastIdLost: () => 'ヘッダー Last-Event-ID がサービスに届かないため、ストリームは最初からになります。',
  schemeRight: (scheme) => `サービスは ${scheme} で接続されていると認識しています。`,
  schemeNotBelieved: (scheme) => `サービスはプロキシを信頼していないため、接続を ${scheme} とみなしています。`,
  schemeWrong: (scheme) => `プロキシが暗号化された接続だと伝えていないため、サービスは ${scheme} とみなしています。`,
  schemeClaimed: () => 'プロキシは接続が暗号化されていると伝えていますが、実際には暗号化されていません。',
  hostRight: (host) => `サービスは ${host} で接続されていると認識しています。`,
  hostWrong: (host) => `サービスは自分のアドレスを ${host} とみなしています。ブラウザーからの変更は拒否され、パスキーは使えません。`,
  addressRight: (address) => `サービスはこのデバイスのアドレス（${address}）を認識しています。`,
  addressMissing: (peer) => `プロキシがアドレスを渡していません。全クライアントが ${peer} に見え、1 人がパスワードを間違えると全員が締め出されます。`,
  addressNotBelieved: (peer) => `サービスがプロキシを信頼していません。全クライアントが ${peer} に見え、1 人がパスワードを間違えると全員が締め出されます。`,
  addressForged: () => 'プロキシがクライアントの偽ったアドレスを渡すため、パスワードの総当たりを止められません。',
  cookiesRight: () => 'Cookie は接続に合っています。',
  cookiesOpen: () => '接続は暗号化されていますが、Cookie に Secure が付いていません。',
  cookiesLost: () => 'Cookie に Secure が付いていますが、接続が暗号化されていないため、ブラウザーはサインインを保持しません。',
  uploadPassed: (mib) => `${mib} MiB のアップロードが届きました。`,
  uploadRefused: (mib) => `${mib} MiB のアップロードは大きすぎるとして拒否されました。`,
  uploadCut: (mib) => `${mib} MiB のアップロードは途中で切断されました。`,
  uploadUntried: () => '回線が遅いため、大きなアップロードは試していません。',
  uploadUnjudged: (status) => `大きなアップロードへの応答はステータス ${status} で、サイズについては何もわかりません。`,
  clockRight: () => 'このデバイスとサービスの時計は一致しています。',
  clockWrong: (seconds) => `このデバイスとサービスの時計は ${long(seconds)}ずれています。`
}

const advice: Words['diagnostics']['advice'] = {
  reach: 'サービスが動作しているか、プロキシがそのポートにつながっているか、サインインしているかを確認してください。',
  tls: '証明書のあるリバースプロキシを前に置いてください。ヘルプ（/help）の「リバースプロキシの背後で」を参照。',
  buffering: 'プロキシのバッファリングをオフにしてください：',
  compression: 'プロキシでイベントストリームを圧縮しないでください。その他はサービス自身が圧縮します：',
  timeout: 'プロキシで接続を維持してください：',
  lastId: 'プロキシでヘッダーを渡してください：',
  proto: 'プロキシでプロトコルを伝え、SVC_WEBUI_TRUSTED_PROXIES でプロキシを信頼してください：',
  host: 'プロキシでポートを含むホストを渡してください：',
  forwardedFor: 'プロキシで、ヘッダーを接続元のアドレスに置き換えてください：',
  trust: 'サービスの環境変数でプロキシを信頼し、サービスを再起動してください：',
  secure: 'https でサービスに接続するか、サービスの環境変数を変更してください：',
  upload: 'プロキシでこのサイズのアップロードを許可してください：',
  clock: '時計を同期してください。'
}

export const diagnostics: Words['diagnostics'] = {
  note: 'サービス、そのマシン、このデバイスからの経路を調べます。何も変更しません。',
  again: 'もう一度調べる',
  checking: '確認中…',
  thorough: '詳しく調べる',
  thoroughNote: '詳しい確認では、さらに各プロバイダーのモデルに一言尋ね（費用がかかることがあります）、外部のエージェントを起動します。',
  copyReport: 'レポートをコピー',
  reportCopied: 'レポートをコピーしました。',
  statuses: { ok: 'OK', warning: '警告', error: '問題', skipped: '未確認' },
  summary: (errors, warnings) => {
    const found = [...errors === 0 ? [] : [`問題 ${errors} 件`], ...warnings === 0 ? [] : [`警告 ${warnings} 件`]]
    return found.length === 0 ? '問題は見つかりませんでした。' : `${found.join('、')}。`
  },
  checks: {
    program: 'バージョン', memory: 'メモリ', 'open-files': '開いているファイル', log: 'ログ', updates: 'アップデート', backups: 'バックアップ',
    'state-folder': '状態フォルダー', disk: '空き容量', database: 'データベース', access: 'アドレスとサインイン', address: 'ポート', sandbox: 'コマンドのサンドボックス',
    git: 'Git', ripgrep: 'ファイル内の検索', agents: 'ほかのエージェント', schedules: '予定されたタスク', configuration: 'config.yaml', providers: 'モデルのプロバイダー',
    mcp: 'MCP サーバー', machines: 'ほかのマシン', push: '通知', proxy: 'インターネットへの接続', traces: 'トレース', clock: '時計'
  },
  parts: {
    program: 'プログラム', author: '作成者', 'default workspace': '既定のフォルダー', logins: 'ログイン情報', 'state folder': '状態フォルダー',
    backups: 'バックアップ', 'temporary files': '一時ファイル'
  },
  found: {
    sandbox_off: [
      'サンドボックスはオフです。エージェントのコマンドはサービスのユーザーとして実行され、毎回承認を求めます。',
      '環境変数の SVC_WEBUI_SANDBOX か、config.yaml の terminal.sandbox を取り除いてください。'
    ],
    sandbox_missing: [
      'bubblewrap（bwrap）がインストールされていないため、エージェントのコマンドは毎回承認を求めます。',
      'bubblewrap をインストールしてください。'
    ],
    git_missing: [
      'git がインストールされていません。内蔵の git が代わりに動きますが、できることは限られます。',
      'git をインストールしてください。'
    ],
    git_author_missing: [
      'コミットの作成者が設定されていません。リポジトリ側で決めていない場合、コミットは拒否されます。',
      'サービスのユーザーとして実行してください。'
    ],
    backup_to_come: [
      'バックアップはまだありません。サービスは起動の数分後に最初のものを作ります。',
      '今すぐ作成するには：'
    ],
    backups_off: [
      'バックアップはなく、自動でも作られません。',
      '今すぐ作成するには：'
    ],
    provider_missing: [
      'モデルのプロバイダーが設定されていないため、デモが回答します。',
      '「モデル」でプロバイダーのキーか、モデルサーバーのアドレスを入力してください。'
    ],
    sign_in_missing: [
      'サインインは不要です。このアドレスに接続できる人は誰でもサービスを使えます。',
      '「設定」→「サインイン」、またはサービスの環境変数でパスワードを設定してください。'
    ],
    sign_in_missing_proxy: [
      'リバースプロキシがあるのにサインインは不要です。プロキシに接続できる人は誰でもサービスを使えます。',
      '「設定」→「サインイン」、またはサービスの環境変数でパスワードを設定してください。'
    ],
    traffic_open: [
      'ほかのマシンから暗号化なしで接続できます。パスワードやチャットが途中で読まれるおそれがあります。',
      'TLS のあるリバースプロキシを前に置き、そのアドレスを指定してください（docs/reverse-proxy.md）。'
    ],
    state_folder_ok: ['状態フォルダーは書き込み可能で、所有者だけが読めます。'],
    state_folder_missing: ({ path }) => [`状態フォルダー ${path} はまだありません。`, 'サービスを一度起動すると作成されます。'],
    runs_as_root: ({ owner }) => [`サービスは root で動作していますが、ファイルの所有者はユーザー ${owner} です。`, 'そのユーザーで実行してください。root は何でもできます。'],
    link_broken: ({ path, target }) => [`${path} は ${target} へのシンボリックリンクですが、リンク先がありません。`, 'リンク先のフォルダーをマウントまたは復元するか、リンクを削除してください。'],
    owner_differs: ({ path, owner, user }) => [`${path} の所有者はユーザー ${owner} ですが、サービスはユーザー ${user} で動作しています。`, '所有者をサービスのユーザーに変更してください：'],
    open_to_all: ({ path }) => [`このマシンのすべてのユーザーが ${path} を開けます。`, 'サービスのユーザーで：'],
    open_to_group: ({ path }) => [`同じグループのユーザーが ${path} を開けます。`, 'サービスのユーザーで：'],
    disk_full: ({ path }) => [`${path} に書き込めません。ディスクがいっぱいです。`, 'ディスクの空きを増やしてください：'],
    disk_read_only: ({ path, code }) => [`${path} に書き込めません（${code}）。`, 'ディスクを書き込み可能でマウントしてください：'],
    not_writable: ({ path, code }) => [`${path} に書き込めません（${code}）。`, 'サービスのユーザーが書き込めるようにしてください：'],
    not_openable: ({ path }) => [`サービスには ${path} を開く権限がありません。`, '所有者をサービスのユーザーに変更してください：'],
    not_openable_own: ({ path }) => [`サービスには ${path} を開く権限がありません。`, 'サービスのユーザーで：'],
    clock_right: ['時計はインターネット上のサーバーと一致しています。'],
    clock_unasked: ['時刻を確認できるサーバーがありませんでした。起動後に時計は戻されていません。'],
    clock_ahead: ({ seconds }) => [`時計が ${long(seconds)} 進んでいます。`, '時計を同期してください：'],
    clock_behind: ({ seconds }) => [`時計が ${long(seconds)} 遅れています。`, '時計を同期してください：'],
    clock_far_ahead: ({ seconds }) => [`時計が ${long(seconds)} 進んでいます。ログイン、Webhook、TLS 証明書が失敗します。`, '時計を同期してください：'],
    clock_far_behind: ({ seconds }) => [`時計が ${long(seconds)} 遅れています。ログイン、Webhook、TLS 証明書が失敗します。`, '時計を同期してください：'],
    clock_set_back: ({ seconds }) => [`サービスの起動後、時計が ${long(seconds)} 戻されました。`, '時計を同期してください：'],
    clock_before_write: ({ seconds }) => [`時計が遅れています。データベースは時計の時刻より ${long(seconds)} 後に書き込まれています。`, '時計を同期してください：'],
    disk_room: ({ free }) => [`空き容量は ${free} です。`],
    disk_low: ({ free }) => [`空き容量が少なくなっています（${free}）。`, '空きを増やしてください。このディスクで大きいフォルダー：'],
    disk_almost_full: ({ free }) => [`ディスクがほぼいっぱいです（空き ${free}）。`, '空きを増やしてください。このディスクで大きいフォルダー：'],
    disk_backup_room: ({ free, needed }) => [`バックアップの空きがありません。空きは ${free}、必要なのは ${needed} です。`, '空きを増やしてください。このディスクで大きいフォルダー：'],
    disk_few_files: ({ count }) => [`ディスクに作成できるファイルは残り ${count} 個です。`, '不要な小さいファイルを削除してください。ファイルが多いフォルダー：'],
    memory_use: ({ limit, used }) => [`このマシンのメモリー ${limit} のうち ${used} を使用しています。`, 'メモリーを多く使うプログラムを終了してください：'],
    memory_use_group: ({ limit, used }) => [
      `コントロールグループの上限 ${limit} のうち ${used} を使用しています。`,
      'systemd ユニットまたは docker-compose.yml で上限を上げてください：'
    ],
    open_files: ({ open, limit }) => [
      `開いているファイルと接続は ${open} 個（上限 ${limit}）です。`,
      'systemd ユニット、docker-compose.yml、またはサービスを起動するシェルで上限を上げてください：'
    ],
    git_ready: ({ version }) => [`git ${version} がインストールされています。`],
    git_author: ['コミットに作成者が設定されています。'],
    git_workspace: ['既定のフォルダーで git が動作します。'],
    git_workspace_plain: ['既定のフォルダーは git リポジトリではありません。'],
    git_workspace_missing: ['既定のフォルダーはまだありません。'],
    git_workspace_owner: ['既定のフォルダーは別のユーザーのものなので、git が拒否しました。', 'サービスのユーザーで：'],
    git_logins: ['git に認証情報ヘルパーがあります。'],
    git_no_logins: ['git に認証情報ヘルパーがありません。SSH 鍵は使えますが、https でログインが必要なリポジトリは使えません。', 'ログインが必要な場合は、サービスのユーザーで：'],
    push_works: ({ count, messages }) => [`通知が有効なブラウザー：${count}。送信中のメッセージ：${messages}。`],
    push_none: ['通知を有効にしたブラウザーはありません。'],
    push_no_keys: ['Web Push の鍵をまだ保存できません。', 'データベースを書き込み可能にして、サービスを再起動してください。'],
    updates_off: ['更新の確認はオフです。'],
    updates_unchecked: ['更新をまだ確認していません。', '「設定」→「情報」で更新を確認してください。'],
    updates_current: ['前回の確認では、これが最新バージョンでした。'],
    log_written: ['ログのすべての行が書き込まれました。'],
    machines_off: ['SVC_NATS_URL が設定されていないため、ほかのマシンは参加できません。'],
    nats_connected: ['NATS サーバーに接続しています。'],
    machine_connected: ['接続しています。'],
    machine_version: ({ version, own }) => [`バージョン ${version} で接続しています。サービスは ${own} です。`, 'サービスと同じバージョンに更新してください。'],
    machine_away: ({ seconds }) => [`${long(seconds)} 前からオフラインです。`, 'そのマシンでプログラムを起動してください：'],
    sandbox_works: ({ version }) => [`bubblewrap ${version} のサンドボックスでコマンドを実行できました。`],
    sandbox_unfiltered: ({ version }) => [`bubblewrap ${version} のサンドボックスでコマンドを実行できました（システムコールのフィルターなし）。`],
    sandbox_container: ['コンテナーが境界です。コマンドはその中で実行され、サービスのファイル、メモリー、デバッガーには届きませんでした。'],
    backup_nothing: ['バックアップするものはまだありません。'],
    backup_age: ({ seconds }) => [`最新のバックアップは ${long(seconds)} 前のものです。`],
    backup_late: ({ seconds, hours }) => [`最新のバックアップは ${long(seconds)} 前のものです。本来は ${long(Number(hours) * 3_600)} ごとに作成されます。`, '今すぐ作成：'],
    backup_by_hand: ({ seconds }) => [`最新のバックアップは ${long(seconds)} 前のものです。自動では作成されません。`, '毎日作成するには、サービスの環境で：'],
    provider_agents: ['モデルプロバイダーは設定されていません。ほかのエージェントが回答します。'],
    mcp_none: ['MCP サーバーは設定されていません。'],
    mcp_ready: ({ count }) => [`動作しています。ツール：${count}。`],
    mcp_idle: ['ツールが呼び出されると起動します。'],
    mcp_off: ['オフになっています。'],
    mcp_sign_in: ['ログインが必要です。', '「設定」→「MCP サーバー」でログインしてください。'],
    agents_none: ['このマシンにほかのエージェントは見つかりませんでした。'],
    configuration_fine: ['config.yaml に問題はありません。'],
    internet_direct: ['このマシンから直接接続しています。'],
    ripgrep_works: ({ version }) => [`ripgrep ${version} は動作します。`],
    database_intact: ({ size, version, log }) => [`データベースに損傷はありません：${size}、バージョン ${version}、ログ ${log}。`],
    database_checking: ({ size }) => [`起動後の検査がまだ終わっていません（${size}）。`, '数分後にもう一度確認してください。'],
    database_in_memory: ['データベースはメモリ上にあります。'],
    program_version: ({ own, version }) => [`バージョン ${own} が Node.js ${version} で動いています。`],
    program_node_old: ({ version, needed }) => [
      `Node.js ${version} は古すぎます。バージョン ${needed} 以降が必要です。`, `Node.js ${needed} 以降をインストールして再起動してください。`
    ],
    port_answers: ({ host, port }) => [`サービスは ${host} のポート ${port} で応答しています。`],
    sign_in_needed: ({ host, port }) => [`サインインが必要です。サービスは ${host} のポート ${port} で待ち受けています。`],
    sign_in_needed_proxy: ({ host, port }) => [`サインインが必要です。サービスは、信頼されたプロキシの背後で、${host} のポート ${port} で待ち受けています。`],
    sign_in_local: ['サービスに届くのはこのマシンだけで、サインインは不要です。'],
    provider_answers: ['応答しています。'],
    provider_invalid_key: ['キーが拒否されました。', '「モデル」またはプロファイルの .env に有効なキーを入力してください。'],
    provider_no_quota: ['アカウントの利用枠を使い切りました。', 'プロバイダーで残高を追加するか、別のモデルを選んでください。'],
    provider_rate_limited: ['現在、これ以上のリクエストを受け付けていません。', 'しばらく待つか、プロバイダーで上限を引き上げてください。'],
    provider_timed_out: ['時間内に応答がありませんでした。', '数分後にもう一度確認し、プロバイダーの稼働状況も確認してください。'],
    provider_no_answer: ['応答がありませんでした。', '数分後にもう一度確認し、プロバイダーの稼働状況も確認してください。'],
    schedules_fine: ({ count }) => [`スケジュールされたタスク：${count} 件。前回失敗したものはありません。`],
    schedule_failed: ({ reason }) => [`前回の実行は失敗しました：${reason}`, '「タスク」で前回の実行を開いてください。'],
    schedule_undelivered: ({ reason }) => [`前回の結果は届けられませんでした：${reason}`, '「タスク」で届け先を確認してください。'],
    schedule_ended: ({ reason }) => [`もう実行されません：${reason}`, '「タスク」でスケジュールを修正してください。'],
    traces_taken: ['コレクターはトレースを受け付けています。'],
    proxy_answers: ({ target }) => [`接続はプロキシ ${target} を経由し、プロキシは応答しています。`],
    proxy_accepts_login: ({ target }) => [`接続はプロキシ ${target} を経由し、プロキシは応答し、ログインを受け付けています。`],
    configuration_broken: ({ profile, reason }) => [
      `プロファイル「${profile}」の config.yaml に誤りがあります：${reason}`, '修正してください。それまでは最後の正しい内容が使われます。'
    ]
  },
  groups: {
    service: 'サービス', storage: 'ストレージ', access: 'アクセス', agent: 'エージェント', models: 'モデル', connections: '接続'
  },
  connection: 'このデバイスから',
  held: (seconds) => `切断されないか確かめるため、接続を ${long(seconds)}間維持しています…`,
  environment: 'サービスの環境変数',
  titles,
  verdicts,
  advice
}
