package profile

import "strings"

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

var (
	// standards are prefixes of words that are spelled like ticket numbers and are not.
	standards = set("UTF SHA ISO RFC AES MD RSA IEEE ANSI ASCII HTTP HTTPS TLS SSL IPV GPT CP KOI EC2 S3 DB2 P2P B2B CTRL ALT CMD PEP COVID BASE")
	// networks are the last labels of internal host names.
	networks = set(`lan local localdomain internal interno intern intra intranet corp home svc cluster private priv int net com org io dev
		example test invalid cloud de fr es br pt it nl ch at jp cn ru uk eu us`)
	// articles precede common nouns far more often than names.
	articles = set(`a an the this that these those our my your his her its their some any each every no
		der die das den dem des ein eine einen einem einer eines kein keine keinen dieser diese dieses unser unsere mein meine
		el la los las un una unos unas este esta estos estas nuestro nuestra su sus
		le les du de des ce cette ces notre nos votre mon ma mes leur leurs
		o os as um uma uns umas do da dos das no na nos nas nosso nossa seu sua
		il lo gli i uno het een de deze`)
	// honorifics precede or follow the names of people.
	honorifics = set(`mr mrs ms mx dr prof sir madam herr herrn frau señor señora sr sra srta don doña m mme mlle monsieur madame senhor senhora
		signor signora meneer mevrouw pan pani bay bayan さん 様 さま 氏 君 くん ちゃん 先生 女士 老师 小姐 г-н г-жа господин госпожа 씨 님`)
	// acts are verbs for what people do and programs hardly: say, ask, want, know, own, agree.
	acts = set(`says said asks asked wants wanted knows knew thinks thought owns wrote agrees agreed prefers suggested suggests confirms confirmed
		promised reports reported takes took maintains leaves joins joined decided decides told tells reviewed reviews
		sagt sagte meint meinte fragt fragte möchte will weiß findet entschied bestätigt zuständig verantwortlich besteht meldet meldete übernimmt pflegt
		dice dijo pregunta preguntó quiere quería sabe opina prefiere decidió confirma lleva propone avisa
		dit demande veut voulait sait pense préfère propose décide confirme
		diz disse pergunta perguntou quer queria sabe acha prefere decidiu confirma confirmou cuida
		dice disse chiede vuole sa pensa preferisce zegt vraagt wil weet vindt
		говорит сказал сказала просит хочет знает ведёт ведет подтвердил подтвердила решил решила считает спрашивает
		diyor söyledi istiyor`)
	// spokenOf follow names of people in scripts without spaces.
	spokenOf = []string{"说", "認為", "认为", "负责", "負責", "觉得", "想", "决定", "建议", "問", "问", "さん", "氏", "様", "によると", "が担当"}
)

// kindNouns are the nouns that show the kind of an adjacent name.
var kindNouns = map[Kind]map[string]bool{
	Service: set(`service services servicio serviço servizio servis dienst dienste служба службы сервис сервиса daemon worker microservice app
		application api gateway backend aplicación aplicação anwendung usługa tjänst`),
	Table: set(`table tables tabelle tabellen tabla tablas tabela tabelas tabella таблица таблицу таблице таблицы tabel collection relation
		row rows zeile zeilen fila filas linha linhas ligne lignes строка строки column columns spalte spalten columna coluna colonne`),
	Host: set(`host hosts hostname server machine node box replica rechner maschine máquina servidor hôte serveur машина сервер сервере хост
		macchina computer vm`),
	Flag:    set(`flag flags toggle switch schalter interruptor bandera drapeau bascule флаг переключатель chave interruttore`),
	Ticket:  set(`ticket tickets issue incident vorgang incidencia chamado заявка тикет`),
	Project: set(`project projekt proyecto projeto projet progetto проект codename initiative`),
	Person: set(`colleague engineer developer lead manager kollege kollegin entwickler entwicklerin leiterin colega ingeniero ingeniera ingénieur
		desenvolvedor коллега`),
}

// unbrokenNouns are those of scripts without spaces.
var unbrokenNouns = map[Kind][]string{
	Service: {"服务", "服務", "サービス"},
	Table:   {"テーブル", "数据表", "表"},
	Host:    {"サーバー", "サーバ", "ホスト", "主机", "主機", "服务器", "機器"},
	Flag:    {"フラグ", "开关", "開關"},
	Project: {"プロジェクト", "项目", "專案"},
}

// passives precede the agent of an act.
var passives = set("by von por par от durch da av af door")

// functionWords are words of the commonest languages that are too frequent to name anything.
var functionWords = set(`and or but not with without for from into onto about above below after before again also only just more most less least very
	then than when where which while what who how why because since until though there here now still already yet ever never always often
	have has had having does did done doing will would can could shall should may might must need needs want been being was were are
	you your they them she her him its we our us me myself one two three first last next other another same such own all both few many much
	get got gets make makes made take takes took put puts give gives keep keeps let lets use uses used using see look looks
	yes okay thanks thank please sorry hello good morning fine great nice right sure well really maybe perhaps today tomorrow yesterday
	second minute hour hours day days week weeks month months year years time times monday tuesday wednesday thursday friday saturday sunday
	und oder aber nicht mit ohne für von vom aus auf bei nach vor seit bis über unter durch gegen auch nur noch schon immer wieder mehr sehr
	dann wenn wann wo wer was wie warum weil damit dass als ob denn doch hier jetzt heute gestern morgen
	ich du er sie es wir ihr mich dich sich uns euch ist sind war waren sein hat haben hatte wird werden wurde kann können soll sollte muss
	müssen darf alle alles ein zwei drei bitte danke gut stunde stunden tag tage woche monat jahr
	y o u pero no con sin para por de del a al en entre hasta desde sobre como cuando donde quien que cual porque si ya muy más menos también
	solo siempre nunca hoy ayer mañana es son era fue ser estar está están hay ha han tiene tienen hace puede pueden debe gracias día semana mes año
	et ou mais ne pas avec sans pour par dans sur sous chez entre vers depuis jusqu comme quand où qui que quoi dont parce si très plus moins aussi
	toujours jamais encore déjà ici est sont était être avoir ont fait faire peut doit merci jour semaine mois année aujourd'hui hier demain c'est
	e mas não com sem em até quando onde quem porque se já muito mais menos também só sempre nunca hoje ontem amanhã está estão são foi era ser ter
	tem pode deve obrigado dia semana mês ano isso esse essa
	и или но не с без для от до на в из по за под над при о об как когда где кто что почему если уже очень больше меньше тоже только всегда
	никогда сегодня вчера завтра это этот эта есть был была были быть может нужно надо можно его её их наш день неделя месяц год
	ed ma non con senza per di da in su tra fra come quando dove chi che perché se già molto più meno anche solo sempre mai oggi ieri domani sono
	en maar niet met zonder voor van uit op bij naar ook alleen nog altijd nooit meer zeer dan als waar wie wat hoe waarom omdat dat hier nu vandaag`)

// switching are words in names of feature flags.
var switching = set("enable enabled disable disabled flag toggle aktiv active activo ativo actif experimental beta")
