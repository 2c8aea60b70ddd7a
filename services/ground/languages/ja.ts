import { type PageWords } from './page-words.js'

export const ja: PageWords = {
  tag: 'ja',
  signIn: {
    title: (name) => `サインイン – ${name}`,
    password: 'パスワード',
    signIn: 'サインイン',
    withPasskey: 'パスキーでサインイン',
    with: (name) => `${name} でサインイン`,
    passkeyNeedsScript: 'パスキーでのサインインには JavaScript が必要です。',
    enterPassword: 'パスワードを入力してください。',
    wrongPassword: 'パスワードが違います。忘れた場合は、サービスのマシンで agent-web-service reset-password を実行してください。',
    tooMany: (seconds) => `試行回数が多すぎます。${seconds} 秒後にもう一度お試しください。`,
    unreachable: 'サービスに接続できません。もう一度お試しください。',
    noPasskeyUsed: 'パスキーが使われませんでした。もう一度お試しください。',
    passkeyRefused: 'このパスキーは受け付けられませんでした。',
    proxyOnly: 'このサービスにはパスワードがありません。プロキシ経由で開いてください。',
    passkeysElsewhere: 'パスキーはこのサービスの別のアドレスのものです。そちらで開いてください。',
    oidc: {
      oidc_unavailable: (name) => `${name} に今は接続できません。もう一度試すか、別の方法でサインインしてください。`,
      oidc_refused: (name) => `${name} はあなたを認証しましたが、このサービスはそのアカウントを受け入れません。`,
      oidc_unverified: (name) => `${name} がメールアドレスを確認していないため、ここでは使えません。`,
      oidc_cancelled: (name) => `${name} で許可されなかったか、前のページに戻りました。もう一度お試しください。`,
      oidc_expired: () => 'このサインインは期限切れか、使用済みか、別のブラウザーで始められたものです。もう一度お試しください。',
      oidc_failed: (name) => `${name} の応答を信頼できませんでした。もう一度お試しください。`,
      oidc_busy: () => '試行回数が多すぎます。1 分後にもう一度お試しください。'
    }
  },
  pairing: {
    title: (name) => `このブラウザーをペアリング – ${name}`,
    code: 'ペアリングコード',
    use: 'このブラウザーを使う',
    note: 'サインイン済みのブラウザーの「設定」の「デバイスとトークン」にコードが表示されます。一度だけ使えます。',
    needsScript: 'ペアリングには JavaScript が必要です。'
  },
  error: {
    missing: 'ページが見つかりません',
    unknown: 'アドレスが間違っているか、ページが削除された可能性があります。',
    unshared: 'このページは存在しないか、共有が終了しました。リンクを送った人に確認してください。',
    failed: 'このページを表示できません',
    broken: 'サービスでエラーが発生しました。詳しくはサービスのログにあります。',
    again: '再試行',
    home: 'スタートページへ'
  },
  app: {
    unstarted:
      'アプリが起動していません。回線が遅い場合はもう少しお待ちください。そうでなければ、ページを再読み込みしてください。' +
      'それでも起動しない場合は、ブラウザーを更新するか、このアドレスのスクリプトを許可してください。',
    noScript: 'このアプリには JavaScript が必要です。',
    box: 'メッセージ',
    ask: '質問や、やってほしいことを入力'
  },
  shared: (day) => `${day} · 読み取り専用`,
  page: {
    you: 'あなた',
    assistant: 'アシスタント',
    message: 'メッセージ',
    error: 'エラー',
    reasoning: '推論',
    partial: 'ここで停止: 回答は完了していません',
    steer: '作業中に追加',
    goal: '目標',
    scheduled: 'スケジュール',
    woken: 'プロセスにより再開',
    summarised: '以前のメッセージはモデル用に要約されました',
    summary: '要約',
    shortened: '省略: このメッセージの続きはこのページにありません。',
    tool: 'ツール',
    result: '結果',
    arguments: '引数',
    nothing: '（なし）',
    noResult: '結果なし',
    failed: '失敗',
    done: '完了',
    empty: 'この会話にメッセージはありません。'
  },
  upgrading: 'サービスがデータベースを更新しています。データは失われず、このページは自動的に続きます。',
  shortcuts: { newChat: '新しいチャット', home: 'ホーム' },
  notifications: {
    approval: '許可を求めています',
    question: '質問があります',
    turn: '回答しました',
    resumed: '制限が解けたので続けます',
    atLimit: 'プロバイダーの制限に達しました。続け方を決めてください',
    failed: '完了しませんでした',
    job: '予定したタスクを実行しました',
    pull: {
      checks_failed: 'チェックが失敗しました', checks_passed: 'チェックに合格しました', approved: '承認されました', commented: '新しいコメント',
      merged: 'マージされました', closed: 'マージせずに閉じられました'
    },
    other: '新しいお知らせがあります',
    counted: {
      waiting: 'あなた待ち {count} 件', ended: '完了 {count} 件', failed: 'うち失敗 {count} 件', running: '実行中 {count} 件', queued: '待機中 {count} 件'
    },
    comma: '、'
  }
}
