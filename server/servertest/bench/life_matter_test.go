//go:build linux

package bench

// concern is a matter to decide about a service, or a failure of it. In its sentences %[1]s is the
// service and %[2]s a unique value. The question shares as few words as possible with the
// statements.
type concern struct {
	ask      string // a person brings it up
	said     string // the person decides it, or says what helped
	agreed   string // the assistant's answer
	question string // asked much later
	changed  string // a later decision on the same matter; "" if there is none
	failure  string // what a failing call prints, for a failure
}

// tongue holds how people talk about their work in a language.
type tongue struct {
	concerns []concern
	opening  []string // %[1]s is the service, %[2]s a word
	going    []string
	working  []string
}

var tongues = []tongue{
	{
		concerns: []concern{
			{"How often should %[1]s retry a failed upload?", "Let's retry uploads %[2]s times with growing pauses, then give up.", "Settled: %[2]s attempts, the pause doubles.", "How many attempts does %[1]s make before an upload is abandoned?", "We change the retries: from now on %[2]s times, the old number was too many.", ""},
			{"Where do we keep the sessions of %[1]s?", "We decided to keep sessions in %[2]s, not in cookies.", "Good, sessions live in %[2]s then.", "Which storage holds the sessions of people who use %[1]s?", "Sessions move to %[2]s instead, the first choice did not scale.", ""},
			{"What format should the logs of %[1]s have?", "Logs are written as %[2]s from today, plain text is gone.", "I switch the logger to %[2]s.", "In what format does %[1]s write its logging output?", "Change of plan: the logs become %[2]s instead.", ""},
			{"Who may approve a release of %[1]s?", "Releases need the approval of %[2]s and nobody else.", "Noted, %[2]s approves.", "Whose approval is required before %[1]s ships?", "", ""},
			{"How long do we keep backups of %[1]s?", "Backups stay for %[2]s days and are deleted afterwards.", "I set the retention to %[2]s days.", "After what time are the backup copies of %[1]s thrown away?", "Retention is now %[2]s days instead of what we had.", ""},
			{"Which queue shall %[1]s use?", "We go with %[2]s for the queue because it survives restarts.", "The queue is %[2]s.", "What did we choose to queue the messages of %[1]s, and why?", "We replace the queue by %[2]s.", ""},
			{"%[1]s times out under load, what is it?", "Found it: the pool was too small, raising it to %[2]s solved the timeouts.", "With %[2]s connections the load test passes now.", "What cured the slow responses of %[1]s when traffic was high?", "", "error: deadline exceeded after 30s waiting for a connection"},
			{"The nightly job of %[1]s crashes with out of memory.", "It works now: we read the file in pieces of %[2]s rows instead of at once.", "Right, pieces of %[2]s rows keep memory flat.", "How did we stop %[1]s from running out of memory at night?", "", "fatal: runtime: out of memory allocating 4 GiB"},
			{"Certificates of %[1]s expired again.", "The renewal hook was missing; %[2]s does it now and the certificate is valid.", "The hook %[2]s renews it every week.", "What takes care of renewing the TLS certificate for %[1]s?", "", "x509: certificate has expired or is not yet valid"},
			{"What is the rate limit of %[1]s?", "We limit clients to %[2]s requests a minute.", "Limit is %[2]s a minute per key.", "How many requests may one customer send to %[1]s?", "The limit changes to %[2]s requests a minute.", ""},
		},
		opening: []string{"I want to look at %[1]s today, mostly the %[2]s part.", "Can you open %[1]s and check the %[2]s handling?", "Please go on with %[1]s, the %[2]s is not done."},
		going:   []string{"And the tests for %[2]s?", "Run it once more for %[1]s please.", "What does the %[2]s in there do?", "Please rename %[2]s, the name says nothing.", "ok, go on", "Looks good, next."},
		working: []string{"I read the files of %[1]s first.", "The %[2]s of %[1]s is covered by tests.", "I changed the %[2]s and ran the tests.", "There are two callers of %[2]s, both in %[1]s.", "I leave %[2]s as it is."},
	},
	{
		concerns: []concern{
			{"Wie oft soll %[1]s einen fehlgeschlagenen Versand wiederholen?", "Wir wiederholen den Versand %[2]s Mal mit wachsender Pause, danach ist Schluss.", "Gut, %[2]s Versuche.", "Wie viele Versuche macht %[1]s, bevor der Versand aufgegeben wird?", "Ab jetzt %[2]s Wiederholungen beim Versand, die alte Zahl war zu hoch.", ""},
			{"Wo legen wir die Sitzungen von %[1]s ab?", "Wir haben entschieden: Sitzungen liegen in %[2]s, nicht im Cookie.", "Dann liegen die Sitzungen in %[2]s.", "In welchem Speicher hält %[1]s die Sitzungen der Nutzer?", "Die Sitzungen ziehen um nach %[2]s.", ""},
			{"Wie lange heben wir Sicherungen von %[1]s auf?", "Sicherungen bleiben %[2]s Tage und werden dann gelöscht.", "Aufbewahrung auf %[2]s Tage gesetzt.", "Nach welcher Zeit verschwinden die Sicherungskopien von %[1]s?", "Die Aufbewahrung ist jetzt %[2]s Tage.", ""},
			{"%[1]s antwortet unter Last nicht mehr.", "Gefunden: der Pool war zu klein, mit %[2]s Verbindungen läuft es wieder.", "Mit %[2]s Verbindungen ist der Lasttest grün.", "Was half gegen die langsamen Antworten von %[1]s unter viel Last?", "", "Fehler: Zeitüberschreitung beim Warten auf eine Verbindung"},
			{"Wer darf eine Auslieferung von %[1]s freigeben?", "Freigaben macht nur %[2]s, sonst niemand.", "Notiert, %[2]s gibt frei.", "Wessen Zustimmung braucht eine Auslieferung von %[1]s?", "", ""},
		},
		opening: []string{"Heute geht es um %[1]s, vor allem um %[2]s.", "Bitte schau dir %[2]s in %[1]s an."},
		going:   []string{"Und die Tests für %[2]s?", "Bitte noch einmal für %[1]s laufen lassen.", "Was macht %[2]s dort?", "ok, weiter", "Passt, weiter."},
		working: []string{"Ich lese zuerst die Dateien von %[1]s.", "%[2]s in %[1]s ist durch Tests abgedeckt.", "Ich habe %[2]s geändert und die Tests laufen lassen."},
	},
	{
		concerns: []concern{
			{"¿Cuántas veces debe reintentar %[1]s un envío fallido?", "Reintentamos el envío %[2]s veces con pausas crecientes y después se abandona.", "De acuerdo, %[2]s intentos.", "¿Cuántos intentos hace %[1]s antes de abandonar un envío?", "Cambiamos los reintentos: ahora son %[2]s veces.", ""},
			{"¿Dónde guardamos las sesiones de %[1]s?", "Decidimos guardar las sesiones en %[2]s y no en cookies.", "Entonces las sesiones van en %[2]s.", "¿Qué almacén tiene las sesiones de los usuarios de %[1]s?", "Las sesiones pasan a %[2]s.", ""},
			{"%[1]s se queda sin memoria por la noche.", "Ya funciona: leemos el archivo en partes de %[2]s filas.", "Con partes de %[2]s filas la memoria queda estable.", "¿Cómo evitamos que %[1]s agotara la memoria por la noche?", "", "error: memoria agotada al leer el archivo"},
			{"¿Quién puede aprobar una entrega de %[1]s?", "Las entregas las aprueba %[2]s y nadie más.", "Anotado, aprueba %[2]s.", "¿De quién es la aprobación que necesita una entrega de %[1]s?", "", ""},
		},
		opening: []string{"Hoy quiero ver %[1]s, sobre todo %[2]s.", "Abre %[1]s y revisa %[2]s, por favor."},
		going:   []string{"¿Y las pruebas de %[2]s?", "Ejecuta otra vez %[1]s, por favor.", "vale, sigue", "¿Qué hace %[2]s ahí?"},
		working: []string{"Primero leo los archivos de %[1]s.", "%[2]s de %[1]s está cubierto por pruebas.", "Cambié %[2]s y ejecuté las pruebas."},
	},
	{
		concerns: []concern{
			{"Сколько раз %[1]s повторяет неудачную отправку?", "Повторяем отправку %[2]s раз с растущей паузой, потом сдаёмся.", "Хорошо, %[2]s попыток.", "Сколько попыток делает %[1]s, прежде чем отправка будет брошена?", "Меняем повторы отправки: теперь %[2]s раз.", ""},
			{"Где храним сессии %[1]s?", "Решили хранить сессии в %[2]s, а не в куках.", "Значит, сессии лежат в %[2]s.", "В каком хранилище %[1]s держит сессии пользователей?", "Сессии переезжают в %[2]s.", ""},
			{"Сколько дней храним копии %[1]s?", "Резервные копии храним %[2]s дней, потом удаляем.", "Поставил срок %[2]s дней.", "Через какое время удаляются резервные копии %[1]s?", "Срок хранения копий теперь %[2]s дней.", ""},
		},
		opening: []string{"Сегодня смотрим %[1]s, в основном %[2]s.", "Открой %[1]s и проверь %[2]s."},
		going:   []string{"А тесты для %[2]s?", "Запусти ещё раз %[1]s.", "хорошо, дальше", "Что там делает %[2]s?"},
		working: []string{"Сначала читаю файлы %[1]s.", "%[2]s в %[1]s покрыт тестами.", "Изменил %[2]s и запустил тесты."},
	},
}
