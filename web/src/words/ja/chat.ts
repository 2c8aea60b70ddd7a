import { type Words } from '../en/index.js'

export const chat: Words['chat'] = {
  goals: {
    active: (used, most) => `ゴール · ターン ${used}/${most}`,
    paused: 'ゴールを一時停止中',
    done: 'ゴールに到達',
    checking: 'ゴールを確認中',
    pause: '一時停止',
    resume: '再開',
    giveUp: 'ゴールを取りやめる',
    pauses: {
      person: 'あなたが一時停止しました',
      turns: 'ターンの上限に達しました',
      budget: '予算を使い切りました',
      cancelled: 'ターンが停止されました',
      failed: 'ターンが失敗しました',
      cut_off: 'ターンの途中でサービスが停止しました',
      not_started: '次のターンを開始できませんでした',
      judge_silent: '判定の応答がありませんでした',
      judge_unclear: '判定がはっきりしませんでした'
    }
  },
  events: {
    retry: 'モデルが応答しませんでした。もう一度試します。',
    compression_failed: 'チャットの前半を要約できませんでした。',
    compressing: 'チャットが長くなったため、前半を要約しています。',
    compressed: 'チャットの前半を要約しました。',
    cut_short: '回答がモデルの最大の長さに達しました。',
    budget: '予算を使い切りました。',
    fallback: '別のモデルが引き継ぎます。'
  },
  readOnly: {
    why: 'このチャットは読み取り専用です。',
    branch: '分岐して続ける',
    goOn: 'ここで続ける',
    inPlace: (m: string): string => `${m} で同じチャットを続けます。追加した内容はターミナルにも表示されます。`,
    notInPlace: (why: string): string => `このままでは続けられません：${why}`,
    subAgent: 'サブエージェントが作業するチャットのため、読み取り専用です。',
    toParent: '親のチャットを開く'
  },
  parked: {
    name: 'プロバイダーの制限',
    until: (provider, time) => `${provider} は ${time} まで制限中です。その後、ターンは自動的に続きます。`,
    asks: (provider) => `${provider} が制限に達しました。続け方を決めるまで、ターンは待機します。`,
    cannot: (provider) => `ターンは ${provider} で続けられませんでした。続け方を決めるまで待機します。`,
    now: '今すぐ続ける',
    wait: '待つ',
    withAnother: '別のモデルを使う…',
    another: '別のモデルで続ける',
    stop: '停止'
  },
  rename: '名前を変更',
  pin: 'ピン留め',
  unpin: 'ピン留めを外す',
  move: 'プロジェクトへ移動',
  archive: 'アーカイブ',
  unarchive: 'アーカイブから戻す',
  worktree: 'ワークツリー',
  duplicate: '複製',
  export: 'エクスポート',
  share: '共有',
  sharing: {
    title: 'このチャットを共有しますか？',
    what: (title, count) => `リンクを知っている人は誰でも、サインインなしで「${title}」（メッセージ ${count} 件）を読めます。`,
    note: 'ページには、エージェントの作業とツールの出力が含まれます。既知の認証情報は伏せられます。以後のメッセージは追加されません。',
    preview: 'ページをプレビュー',
    share: '共有',
    doneTitle: 'このチャットは共有されています',
    kept: '今すぐリンクをコピーしてください。再表示はできません。',
    all: 'すべての共有ページ',
    copy: 'リンクをコピー',
    revoke: '共有を停止',
    revoked: 'ページの共有を停止しました。'
  },
  yoloStep: {
    title: 'すべて確認なしで実行しますか？',
    means: 'このチャットでは、エージェントはあなたを待たずに、自分で決めたことを実行します：',
    facts: [
      'コマンドを実行し、ファイルを変更・削除し、リクエストを送信します。', 'あなたを待っている許可の依頼は、すぐに許可されます。',
      'オフにするか、サービスが再起動するまで有効です。'
    ],
    back: '確認を続ける',
    confirm: '確認なしで実行'
  },
  otherFolder: 'フォルダーを変更',
  undoExchange: '最後のやり取りを取り消す',
  exchangeUndone: '最後のやり取りを取り消しました。',
  openKept: '以前の版を開く',
  delete: '削除',
  temporary: {
    name: '一時チャット',
    note: '一覧に表示されず、記憶もされず、離れると削除されます。',
    keep: 'このチャットを残す',
    kept: 'チャットを残しました。一覧に表示されます。',
    left: '一時チャットを削除しました。'
  },
  yolo: 'すべて確認なしで実行…',
  side: {
    question: 'ついでの質問',
    task: 'バックグラウンドタスク',
    lost: '回答はもう利用できません。',
    states: {
      running: '作業中', stopping: '停止中', done: '完了', elsewhere: '結果は別のウィンドウに表示されました。', gone: 'このチャットはもうありません。'
    }
  },
  noEffort: 'このモデルには思考レベルの設定がありません。',
  noPersonalities: 'パーソナリティはまだありません。「設定」の「動作」で作成してください。',
  usage: {
    title: 'このチャットの使用量',
    window: (percent) => `コンテキストの ${percent}% を使用`,
    held: (held, length) => `${length} トークン中 ${held}`,
    threshold: (tokens) => `${tokens} で要約`,
    model: 'モデル',
    input: '入力トークン',
    output: '出力トークン',
    cache: 'キャッシュ済み',
    cost: '費用',
    unpriced: '価格不明',
    last: '直前のターン',
    speed: (tokensPerSecond) => `毎秒 ${tokensPerSecond} トークン`,
    compress: '以前のメッセージを今すぐ要約',
    all: 'すべての使用量と予算'
  }
}
