import { dollarsIn } from '../dollars.js'
import { type Words } from '../en/index.js'

const dollars = dollarsIn('ja', 0)

/** The label and note of each setting and part of a page. */
const keys: Words['settings']['keys'] = {
  theme: ['テーマ', 'このデバイスだけに適用。'],
  density: ['表示密度', 'このデバイスでマウスを使うとき。コンパクトにすると行数が増えます。'],
  own_language: ['言語', 'このデバイスだけに適用。'],
  language: ['既定の言語', '言語を選んでいないデバイスに適用。'],
  font_size: ['文字サイズ', 'すべてのデバイスで、各デバイスの拡大に加えて適用。'],
  rtl: ['右から左', 'レイアウトを左右反転します。テキストの向きは変わりません。'],
  pinned_sessions_limit: ['ピン留めの上限', 'ピン留めしたチャットは一覧の一番上に残ります。'],
  show_cron_sessions: ['予定したタスクのチャット', 'タスクの実行をチャットの一覧に表示します。'],
  show_cli_sessions: ['他のプログラムのチャット', 'このマシンのコマンドラインエージェントのチャットを、閲覧と分岐のために表示します。'],
  show_claude_code_sessions: ['Claude Code のチャット', 'Claude Code のチャットも同じように表示します。'],
  send_key: ['送信キー', 'もう一方のキーは改行です。Ctrl または ⌘ と Enter では常に送信します。'],
  hide_empty_state_suggestions: ['空のチャットで例を隠す', 'スタートページはメッセージ欄だけになります。'],
  onboarding_completed: ['最初の設定を完了', 'オフ：空のチャットにモデルの接続方法を表示します。'],
  single_keys: ['1 文字ショートカット', '文字を入力していないとき、J と K でチャットを移動します。このデバイスだけに適用。'],
  shortcuts: ['すべてのショートカット', 'すべてのキーとその働き。'],
  push: ['プッシュ通知', 'ウィンドウを開いていなくても、待機中や完了をこのデバイスに通知します。'],
  push_quiet_from: ['通知オフの開始', 'この時刻から通知を保留します。空：保留しません。'],
  push_quiet_until: ['通知オフの終了', '保留した通知をこの時刻に送ります。終了したものは 1 件にまとめます。'],
  push_quiet_waiting: ['許可の依頼と質問は通知する', '通知オフの間も通知します。'],
  push_digest_at: ['毎日のまとめの時刻', '正常に終わったものを 1 件ずつではなく、1 日 1 回まとめて通知します。空：まとめません。'],
  push_time_zone: ['これらの時刻のタイムゾーン', '例：Asia/Tokyo。空：サーバーのタイムゾーン。'],
  tts_enabled: ['回答の読み上げ', 'すべての回答にボタンを表示します。'],
  tts_auto_read: ['すべての回答を自動で読み上げ', '回答が完成すると始まります。'],
  voice_mode_button: ['音声モード', '音声で会話するボタンです。'],
  voice_continuous: ['聞き続ける', '回答の後、音声モードが再び聞き取ります。'],
  tts_engine: ['音声エンジン', 'このデバイスまたはサーバー。'],
  tts_rate: ['速さ', '標準は 1 です。'],
  tts_pitch: ['高さ', '標準は 1 です。'],
  voice_silence_ms: ['録音を終える無音の長さ', '長くすると、考えながら話せます。'],
  bot_name: ['アシスタントの名前', '一覧の上部とサインイン時に表示されます。空：管理者が設定した名前。'],
  default_workspace: [
    '新しいチャットのフォルダー', 'ここ、または別のマシン（名前:/パス）にある既存のフォルダー。空：管理者が設定したフォルダー。'
  ],
  max_tokens: ['回答の最大長', '空：プロバイダーの上限。'],
  auto_title_refresh_every: ['チャットのタイトルを更新', '自分で付けていないタイトルは、話題に合わせて変わります。'],
  personalities: ['パーソナリティ', 'エージェントの話し方です。チャットで、モデルの横から選びます。'],
  default_model: ['既定のモデル', '新しいチャットで回答します。フォールバックと小さな作業のモデルも同じ場所にあります。'],
  provider_keys: ['プロバイダーのキー', 'OpenAI や Anthropic などのキーは、あなたのサーバーに保存されます。'],
  rules: ['常に有効なルール', 'このプロファイルのすべてのチャットで、エージェントが確認なしに行うことです。取り消すと、すぐに再び確認します。'],
  agents: [
    '他社のエージェント',
    '内蔵エージェントの代わりにターンを実行できます。別のモードを許可しない限り、動作の前に確認するモードだけを使います。'
  ],
  budget_turn: ['ターンごとの予算', '1 つの回答の中で警告または停止します。'],
  budget_session: ['チャットごとの予算', 'チャットの使用量が達すると、警告または停止します。'],
  budget_attempts: ['試行一式の予算', '1 つのタスクのすべての試行をまとめて停止します。'],
  budget_job: ['タスク実行ごとの予算', '予定したタスクの 1 回の実行を警告または停止します。'],
  budget_day: ['1 日の予算', 'このプロファイルのすべてを、0 時まで警告または停止します。'],
  profiles: ['プロファイル', 'それぞれがモデル、キー、メモリ、設定を持ちます。'],
  password: ['パスワード', 'このサービスを保護します。変更すると、他のすべてのサインインが終了します。'],
  passkeys: ['パスキー', '指紋、顔、セキュリティキーでサインインします。'],
  oidc: ['シングルサインオン', '他のサービスのアカウントでサインインします（OpenID Connect）。'],
  session_ttl_seconds: ['サインインの有効期間', 'これより古いサインインはすぐに終了します。'],
  sign_out: ['サインアウト', 'このブラウザーのサインインを終了します。他をすべて終了するには、パスワードを変更してください。'],
  pairing: ['デバイスをペアリング', 'スマホや別のブラウザーが、一度だけ使えるコードでアクセスできるようになります。'],
  tokens: ['プログラム用トークン', '一般に API キーと呼ばれるものです。取り消すまで、スコープの範囲内の操作だけができます。'],
  shares: ['共有ページ', 'リンクを知っている人は誰でも読めます。ここで共有を停止できます。'],
  tool_servers: ['MCP サーバー', 'カレンダーやデータベースなど、エージェントにツールを追加します。'],
  machines: ['マシン', 'エージェントが作業できる他のコンピューターです。'],
  plugins: ['プラグイン', 'コマンド、スキル、MCP サーバーを含むフォルダーです。確認するまで無効です。'],
  api_redact_enabled: [
    '認証情報を伏せる', 'サーバーの外に出るテキストで、キーとパスワードを伏せます。共有ページとエラーでは常に伏せます。'
  ],
  import: ['チャットをインポート', 'JSON のエクスポート、または chat completions 形式のメッセージ。'],
  export: ['チャットをエクスポート', 'JSON は再びインポートできます。ページは閲覧用の 1 つのファイルです。'],
  backups: ['バックアップ', '自動で作成されるデータベースのコピーです。'],
  archive: ['アーカイブしたチャット', '一覧には表示されませんが、残っています。ここで元に戻せます。'],
  audit: ['監査ログ', '誰がいつ、何を変更、許可し、どこにサインインしたかの記録です。'],
  diagnostics: ['診断', 'サービスと接続の問題を見つけ、直し方を示します。'],
  version: ['バージョン', '実行中のバージョン、新機能、ライセンス。'],
  check_for_updates: ['更新を自動で確認', 'オフ：ここで求めたときだけ確認します。'],
  update_channel: ['チャンネル', '安定版：リリース。実験版：最新の状態。'],
  network: ['ネットワーク', 'サービスのアドレス、ポート、プロキシ、許可するオリジン。']
}

export const settings: Words['settings'] = {
  title: '設定',
  search: '設定を検索',
  clearSearch: '検索をクリア',
  hits: (count, text) => `「${text}」に一致する設定${count === 0 ? 'はありません' : ` ${count} 件`}`,
  toMove: 'で移動',
  toChange: 'で変更',
  notMeant: '探しているものと違いますか？',
  ask: (text) => `「${text}」についてエージェントに聞く`,
  question: (text) => `このアプリで「${text}」に関係する設定はどれで、どんな働きをしますか？`,
  open: '開く',
  all: 'すべての設定',
  inGroup: (group, page) => `${group}、${page}`,
  byAdministrator: '管理者が設定。',
  keys,
  units: { session_ttl_seconds: '日', voice_silence_ms: '秒', max_tokens: 'トークン' },
  choice: (value) => ({
    0: 'しない', 5: '5 ターンごと', 10: '10 ターンごと', 20: '20 ターンごと', small: '小', default: '標準', large: '大',
    xlarge: '特大', enter: 'Enter', 'ctrl+enter': 'Ctrl Enter', 'shift+enter': 'Shift Enter', browser: 'このデバイス',
    engine_default: 'サーバー：espeak-ng', engine_keyed_a: 'サーバー：ElevenLabs', engine_keyed_b: 'サーバー：OpenAI',
    stable: '安定版', experimental: '実験版', light: 'ライト', dark: 'ダーク', system: 'デバイスに合わせる', comfortable: 'ゆったり', compact: 'コンパクト'
  }[value] ?? value),
  groups: { you: 'あなた', agent: 'エージェント', access: 'アクセス', connections: '接続', data: 'データ' },
  pages: {
    appearance: '外観', writing: '入力', shortcuts: 'ショートカット', notifications: '通知', voice: '音声',
    behaviour: '動作', models: 'モデル', permissions: '権限', budgets: '予算', profiles: 'プロファイル',
    'sign-in': 'サインイン', devices: 'デバイスとトークン', shares: '共有ページ', 'tool-servers': 'MCP サーバー', machines: 'マシン',
    plugins: 'プラグイン', privacy: 'プライバシー', transfer: 'インポートとエクスポート', archive: 'アーカイブ', audit: '監査ログ',
    diagnostics: '診断', about: 'バージョン情報'
  },
  olderChats: '以前のチャットも表示',
  asService: '既定と同じ',
  saved: (name) => `${name}：保存しました`,
  needsNumber: (min, max) => `${min.toLocaleString('ja')} から ${max.toLocaleString('ja')} までの数を入力してください。`,
  broken: '設定ファイルを読み取れません。以前の設定を引き続き使います。',
  problems: '設定ファイルの問題',
  problem: (level, said) => `${level === 'error' ? 'この値は正しくないため、設定されていないものとして扱われます。' : 'このキーは認識されず、効果がありません。'}（${said}）`,
  line: (line) => `${line} 行目`,
  budgetsNote: '「警告」は知らせるだけで、「停止」は作業を止めて確認します。空の場合は無制限です。',
  needsMoney: '0 より大きい金額を入力するか、空にしてください。',
  needsTokens: '0 より大きい整数を入力するか、空にしてください。',
  toUsage: '使用量を開く',
  usedToday: (tokens, usd) => `今日の使用量：${tokens.toLocaleString('ja')} トークン、${dollars(usd)}`,
  limits: { soft_usd: '警告（米ドル）', hard_usd: '停止（米ドル）', soft_tokens: '警告（トークン）', hard_tokens: '停止（トークン）' },
  gate: {
    open: 'サインインは不要です。このアドレスに接続できる人は誰でもサービスを使えます。',
    closed: 'サインインが必要です。',
    set: 'パスワードを設定',
    change: 'パスワードを変更',
    clear: 'パスワードを削除',
    clearNote: 'すべてのサインインを終了し、すべてのパスキーを削除して、サービスを開放します。',
    current: '現在のパスワード',
    next: '新しいパスワード',
    again: '新しいパスワード（確認）',
    differ: '2 つのパスワードが一致しません。',
    empty: '空にはできません。',
    changed: 'パスワードを変更しました。他のすべてのサインインは終了しました。',
    cleared: 'パスワードを削除しました。サービスは開放されています。',
    reveal: 'パスワードを表示',
    acknowledge: '開放されていることを理解しました',
    signOut: 'サインアウト'
  },
  passkeys: {
    off: 'このサービスではパスキーがオフです。管理者がオンにできます。',
    needsGate: '先にパスワードを設定してください。パスキーはパスワードに追加して使います。',
    unsafe: 'このブラウザーでは、パスキーは https または localhost でのみ使えます。',
    none: 'パスキーはまだありません。',
    add: 'パスキーを追加',
    nameOf: 'パスキーの名前',
    usual: 'このデバイス',
    added: (name) => `パスキー「${name}」を追加しました。`,
    cancelled: 'パスキーは作成されませんでした。このデバイスにはすでにあるかもしれません。',
    rename: '名前を変更',
    renamed: (name) => `名前を「${name}」に変更しました。`,
    remove: '削除',
    removeTitle: (name) => `パスキー「${name}」を削除しますか？`,
    removeNote: 'サインインに使えなくなり、このパスキーのサインインは終了します。この操作は元に戻せません。',
    removed: (name) => `パスキー「${name}」を削除しました。`,
    used: (when) => `最終使用：${when}`,
    unused: '未使用',
    made: (when) => `作成：${when}`,
    passwordless: 'パスキーのみ',
    passwordlessNote: 'パスワードは受け付けなくなります。'
  },
  oidc: {
    title: 'OpenID Connect',
    on: (name) => `${name} でサインインできます。管理者が設定。`,
    off: '未設定。管理者がプロバイダーを追加できます。'
  },
  push: {
    obstacles: {
      insecure: 'このページは http で読み込まれました。プッシュ通知は https または localhost でのみ使えます。',
      'install-first': 'iPhone や iPad では、先にアプリをホーム画面に追加し、そこから開いてください。',
      unsupported: 'このブラウザーはプッシュ通知に対応していません。',
      blocked: 'ブラウザーがこのページの通知をブロックしています。ブラウザーの設定で許可してから、ここでオンにしてください。'
    },
    elsewhere: '通知の内容は、そのブラウザーで選んでください。',
    unavailable: {
      no_contact: 'プッシュサービスは、このサービスの連絡先を必要とします。公開の https アドレスで一度アプリを開くか、サービスの環境変数に SVC_WEBUI_PUSH_CONTACT を設定して再起動してください。',
      no_keys: '通知のキーをまだ保存できていません。サービスのディスクを確認し、再起動してください。'
    },
    guide: 'スマートフォンで通知を受け取る方法',
    subscribe: 'このブラウザーに通知',
    unsubscribe: '停止',
    here: 'このブラウザー',
    added: 'これからこのブラウザーに通知します。',
    lastError: (reason) => `前回の通知は届きませんでした：${reason}`,
    wishes: { approvals: '許可の依頼', questions: '質問', finished_turns: '終了したターン', finished_jobs: '終了したタスク', pull_requests: 'プルリクエスト' }
  },
  updates: {
    byHand: 'サービスを停止し、ターミナルで次の行を実行してから、サービスを再び起動してください。',
    look: '更新を確認',
    unknown: 'まだ確認していません。',
    newest: '最新のバージョンです。',
    behind: (count) => `新しいバージョンがあります（${count} 件の変更）。`,
    whatIsNew: '新機能',
    apply: '更新して再起動',
    applyNow: (turns) => `実行中のターン ${turns} 件を終了して今すぐ更新`,
    wait: '終了後に更新',
    waits: (turns) => turns === 0 ? '更新を開始します。' : `実行中のターン ${turns} 件の終了を待っています。その後、更新は自動的に始まります。`,
    cancel: '更新をキャンセル',
    applying: 'サービスを更新しています。数分かかることがあります。',
    restarting: 'サービスを再起動しています。このページは自動的に再接続します。',
    newer: (to, from) => from === null ? `バージョン ${to} があります。` : `バージョン ${to} があります。現在は ${from} です。`,
    off: '更新の確認は下でオフになっています。ここで 1 回だけ確認できます。',
    otherChannel: 'これは別のチャンネルの結果です。もう一度確認してください。',
    lost: 'サービスの更新中に接続が切れました。応答があり次第、結果をここに表示します。',
    reload: '新しいバージョンを使うには、このページを再読み込みしてください。',
    slow: 'サービスがまだ復帰していません。ログを確認してください。',
    dirty: 'サービスのファイルにローカルの変更があります。更新の間はスタッシュし、その後に復元します。',
    last: (message) => `前回の更新：${message}`,
    checkedAt: (when) => `確認：${when}`
  },
  transfer: {
    choose: 'ファイルを選択',
    tooLarge: (mebibytes) => `このファイルは、サービスが一度に受け付ける上限の ${mebibytes} MiB を超えています。`,
    unreadable: 'ブラウザーがこのファイルを読み取れませんでした。',
    notJson: 'このファイルはエクスポートではありません。メッセージを含む JSON ではありません。',
    leftOut: (system, context) => `除外：システムメッセージ ${system} 件、チャットに表示されないモデル用のテキスト ${context} 件。`,
    imported: (title) => `「${title}」をインポートしました。`,
    chat: 'チャット',
    json: 'JSON',
    html: 'ページ（HTML）',
    chooseChat: 'チャットを選択…',
    noChats: 'チャットはまだありません。',
    every: (hours) => hours === 0
      ? '自動バックアップなし。'
      : hours === 24 ? '1 日 1 回。' : hours % 24 === 0 ? `${hours / 24} 日ごと。` : `${hours} 時間ごと。`,
    lastBackup: (when) => `最新：${when}。`,
    noBackup: 'バックアップはまだありません。',
    kept: (count) => `${count} 件を保管。`
  },
  shares: {
    note: 'リンクを知っている人がサインインなしで読めるページです。チャットのメニューから共有できます。', none: '共有しているものはありません。',
    revoke: '共有を停止', revoked: 'ページの共有を停止しました。', made: (when) => `共有：${when}`
  },
  grants: {
    none: '常に有効なルールはありません。許可のカードで「常に」を選ぶと、ここに追加されます。',
    groups: { command: 'コマンド（引数は任意）', net: 'ネットワークの接続先', mcp: 'MCP サーバーのツール', other: 'その他の操作' },
    revoke: '取り消す',
    revoked: (rule) => `エージェントはこれから再び確認します：${rule}`
  },
  personalities: {
    none: 'パーソナリティはまだありません。試してみましょう：',
    example: {
      name: '丁寧な先生',
      prompt: '丁寧な先生のように説明してください。まず要点を 1 文で、次に例を、それから詳細を。最後に理解できたか尋ねてください。',
      description: '順を追って説明'
    },
    create: '新しいパーソナリティ',
    edit: '編集',
    editTitle: (name) => `「${name}」を編集`,
    delete: '削除',
    deleteTitle: (name) => `「${name}」を削除しますか？`,
    deleteNote: '使用中のチャットは、次のターンからパーソナリティなしで続きます。',
    deleted: (name) => `「${name}」を削除しました。`,
    saved: (name) => `「${name}」を保存しました。次のターンから適用されます。`,
    name: '名前',
    prompt: '話し方',
    promptHint: 'モデルは各ターンの前にこれを読みます。',
    description: '一覧用の説明',
    tone: 'トーン',
    style: 'スタイル'
  },
  archive: {
    none: 'アーカイブしたチャットはありません。', back: 'アーカイブから戻す', brought: (title) => `「${title}」をアーカイブから戻しました。`, more: 'さらに表示'
  },
  shortcuts: {
    send: '送信', line: '改行', stop: '一番上のパネルを閉じる、または停止',
    approve: '今回だけ許可（選択中のカード）', session: 'このチャットで許可（選択中のカード）',
    deny: '拒否（選択中のカード）', keys: { approve: 'Enter', session: 'S', deny: 'Esc', stop: 'Esc' }
  },
  about: {
    backups: { failed: '前回は失敗しました', running: '実行中', none: 'まだありません' },
    sandboxes: {
      bwrap: 'コマンドはこの中でネットワークなしで動きます', container: 'コンテナー：コマンドはこの中で確認なしに動きます',
      none: 'なし：コマンドは毎回承認を求めます'
    },
    node: 'Node', sqlite: 'SQLite', uptime: '起動日時', memory: 'メモリ', database: 'データベース', backup: 'バックアップ',
    agent: 'エージェント', sandbox: 'サンドボックス', git: 'Git', state: '状態', ok: '正常', degraded: '確認が必要', running: '実行中',
    resting: '待機中：必要なときに起動', help: 'ドキュメント', docs: 'プログラム向けのインターフェイス',
    licence: 'このサービスは MIT ライセンスです。', licences: '含まれるもののライセンス', writable: '書き込み可', readOnly: '読み取り専用'
  }
}
